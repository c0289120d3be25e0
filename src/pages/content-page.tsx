import { linkableAddress } from '../field-types/display/addresses.ts';
import { langWithin, PAGE_LANGUAGE } from '../field-types/display/language.ts';
import type { Link } from '../http/link-header.ts';
import { encodeAddress } from '../http/link-header.ts';
import type { ParsedContent } from '../repository/content/content.ts';
import type { Surroundings } from '../repository/content/surroundings.ts';
import { LeadMedia, MediaList } from './attached-media.tsx';
import { Descriptions, Details, shownFields } from './fields.tsx';
import { SourceFile } from './file-viewer.tsx';
import { documentText, Layout } from './layout.tsx';
import { chooseMedia } from './node-media.ts';
import { RecordFoot } from './record-foot.tsx';
import type { PageSource } from './view.ts';
import { viewOf } from './view.ts';

/**
 * Returns the landing page of a node, media or term as an HTML document, with the related entities that the caller may view
 * and the Signposting links. To be sent with `pageSecurityPolicy`.
 */
export function contentPage(
  content: ParsedContent,
  around: Surroundings,
  links: readonly Link[],
  source: PageSource,
): string {
  const view = viewOf(content, around, source);
  const { kind, bundle, head } = content;
  const { label, language } = view;
  const { actor, model } = source;
  const fields = shownFields(view);
  const chosen = chooseMedia(around);
  return documentText(
    <Layout
      site={source}
      title={label}
      language={language}
      userName={actor.isAuthenticated ? actor.name : undefined}
      head={
        <>
          {!head.status && <meta name="robots" content="noindex" />}
          <Signposts links={links} />
        </>
      }
    >
      <article>
        <header class="record-head">
          <p class="kind" {...langWithin(model.defaultLanguage, language)}>
            {bundle.label}
          </p>
          <h1 dir="auto">{label}</h1>
          {!head.status && (
            <p class="mark" {...langWithin(PAGE_LANGUAGE, language)}>
              Not published
            </p>
          )}
        </header>
        {kind.type === 'media' && <SourceFile view={view} />}
        <LeadMedia view={view} chosen={chosen} />
        <Descriptions fields={fields} view={view} />
        <Details fields={fields} view={view} />
        <MediaList view={view} chosen={chosen} />
        <RecordFoot view={view} links={links} />
      </article>
    </Layout>,
  );
}

/** The relations of FAIR Signposting, and `canonical` and `alternate`. */
const SIGNPOSTS: ReadonlySet<string> = new Set([
  ...['canonical', 'cite-as', 'author', 'type', 'license', 'item', 'collection', 'describedby', 'linkset', 'alternate'],
]);
/** The maximum of the Link header. The linkset has the others. */
const MAX_LINKS = 100;

/** The Signposting links in the head of a page, with the addresses of the Link header. */
function Signposts({ links }: { links: readonly Link[] }) {
  return links
    .filter(({ rel, href }) => SIGNPOSTS.has(rel) && linkableAddress(href) !== undefined)
    .slice(0, MAX_LINKS)
    .map(({ rel, href, type, title }, at) => (
      <link key={at} rel={rel} href={encodeAddress(href)} type={type} title={title} />
    ));
}
