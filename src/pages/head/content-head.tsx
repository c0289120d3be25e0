import { linkableAddress } from '../../field-types/display/addresses.ts';
import type { Link } from '../../http/link-header.ts';
import { encodeAddress } from '../../http/link-header.ts';
import type { AttachedFiles } from '../../repository/content/read/find-attached-files.ts';
import { describeContent } from '../description/description.ts';
import type { View } from '../view.ts';
import { DublinCore } from './dublin-core.tsx';
import { Highwire } from './highwire.tsx';
import { OpenGraph } from './open-graph.tsx';
import { pictureOfContent } from './picture.ts';
import { SchemaOrg } from './schema-org.tsx';

interface Props {
  readonly view: View;
  readonly links: readonly Link[];
  /** The sizes of the files of a node. */
  readonly sizes?: AttachedFiles['sizes'];
}

/**
 * The description of content for machines, for the head of its page: the canonical address and the Signposting links, Open
 * Graph, Highwire, Dublin Core and schema.org, with what the caller may view.
 */
export function ContentHead({ view, links, sizes }: Props) {
  const { content } = view;
  const described = describeContent(view, links);
  const picture = pictureOfContent(view, sizes);
  return (
    <>
      {!content.head.status && <meta name="robots" content="noindex" />}
      {links.every(({ rel }) => rel !== 'canonical') && <link rel="canonical" href={encodeAddress(described.url)} />}
      <Signposts links={links} />
      <OpenGraph view={view} described={described} picture={picture} />
      {content.kind.type === 'node' && <Highwire view={view} described={described} />}
      <DublinCore described={described} />
      <SchemaOrg view={view} described={described} picture={picture} sizes={sizes ?? {}} />
    </>
  );
}

/** The relations of FAIR Signposting, and `canonical` and `alternate`. */
const SIGNPOSTS: ReadonlySet<string> = new Set([
  ...['canonical', 'cite-as', 'author', 'type', 'license', 'item', 'collection', 'describedby', 'linkset', 'alternate'],
]);
/** The maximum number of links to files, and of all links. The linkset has the others. */
const MAX_ITEMS = 20;
const MAX_LINKS = 100;

/** The Signposting links in the head of a page, with the addresses of the Link header. */
function Signposts({ links }: { links: readonly Link[] }) {
  const lastItem = links.filter(({ rel }) => rel === 'item')[MAX_ITEMS - 1];
  const end = lastItem === undefined ? links.length : links.indexOf(lastItem);
  return links
    .filter(
      ({ rel, href }, at) => SIGNPOSTS.has(rel) && linkableAddress(href) !== undefined && (rel !== 'item' || at <= end),
    )
    .slice(0, MAX_LINKS)
    .map(({ rel, href, type, title }, at) => (
      <link key={at} rel={rel} href={encodeAddress(href)} type={type} title={title} />
    ));
}
