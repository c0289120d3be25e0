/** @jsxImportSource preact */
import type { Link } from '../../http/link.ts';
import { encodeAddress } from '../../http/link-header.ts';
import { linkableAddress } from '../addresses.ts';

/** What FAIR Signposting says of a landing page, and which of its addresses is the one to keep. */
const SIGNPOSTS: ReadonlySet<string> = new Set([
  ...['canonical', 'cite-as', 'author', 'type', 'license', 'item', 'collection', 'describedby', 'linkset', 'alternate'],
]);
/** As many as the header has at most; the linkset carries the rest. */
const MAX_LINKS = 100;

/** The Signposting links of a page, for its head: the same addresses as in the Link header. */
export function Signposts({ links }: { links: readonly Link[] }) {
  return links
    .filter(({ rel, href }) => SIGNPOSTS.has(rel) && linkableAddress(href) !== undefined)
    .slice(0, MAX_LINKS)
    .map(({ rel, href, type, title }, at) => (
      <link key={at} rel={rel} href={encodeAddress(href)} type={type} title={title} />
    ));
}
