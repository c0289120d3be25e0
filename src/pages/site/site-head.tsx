import { siteRoot } from '../../field-types/display/addresses.ts';
import { paths } from '../../paths.ts';

/** The links in the head of a page of the site itself: its canonical address, which is `path`, and the feed of newest items. */
export function SiteHead({ baseUrl, path }: { readonly baseUrl: string; readonly path: string }) {
  return (
    <>
      <link rel="canonical" href={baseUrl + path} />
      <link rel="alternate" type="application/atom+xml" title="Newest items" href={siteRoot(baseUrl) + paths.feed} />
    </>
  );
}
