import type { ComponentChildren } from 'preact';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { formPage } from '../forms/form-page.tsx';

/** Returns the page for a link from a mail that is no longer valid. `links` are shown below. */
export function invalidLinkPage(site: Site, links: ComponentChildren): HtmlPage {
  return formPage({
    site,
    heading: 'This link is not valid',
    children: (
      <>
        <p>It may have expired, have been used already, or have been replaced by a later link.</p>
        <p>{links}</p>
      </>
    ),
  });
}
