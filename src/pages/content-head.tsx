import { linkableAddress } from '../field-types/display/addresses.ts';
import { encodeAddress, type Link } from '../http/link-header.ts';

/** The relations of FAIR Signposting, and `canonical` and `alternate`. */
const SIGNPOSTS: ReadonlySet<string> = new Set([
  ...['canonical', 'cite-as', 'author', 'type', 'license', 'item', 'collection', 'describedby', 'linkset', 'alternate'],
]);
/** The maximum of the Link header. The linkset has the others. */
const MAX_LINKS = 100;

interface Props {
  readonly isPublished: boolean;
  readonly links: readonly Link[];
}

/** The elements in the head of a content page: its Signposting links, and `noindex` for unpublished content. */
export function ContentHead({ isPublished, links }: Props) {
  return (
    <>
      {!isPublished && <meta name="robots" content="noindex" />}
      {links
        .filter(({ rel, href }) => SIGNPOSTS.has(rel) && linkableAddress(href) !== undefined)
        .slice(0, MAX_LINKS)
        .map(({ rel, href, type, title }, at) => (
          <link key={at} rel={rel} href={encodeAddress(href)} type={type} title={title} />
        ))}
    </>
  );
}
