/** @jsxImportSource preact */
import { linkableAddress } from '../field-types/display/addresses.ts';
import { langWithin, PAGE_LANGUAGE } from '../field-types/display/language.ts';
import type { Link } from '../http/link-header.ts';
import { encodeAddress } from '../http/link-header.ts';
import type { ParsedContent } from '../repository/content/content.ts';
import type { Surroundings } from '../repository/content/surroundings.ts';
import { LeadMedia, MediaList } from './components/attached-media.tsx';
import { shownFields } from './components/field-values.ts';
import { Descriptions, Details } from './components/fields.tsx';
import { RecordFoot } from './components/record-foot.tsx';
import { SourceFile } from './components/source-file.tsx';
import { documentText, Layout } from './layout.tsx';
import { chooseMedia } from './node-media.ts';
import type { PageSource } from './page-source.ts';
import { viewOf } from './view.ts';

/** @jsxImportSource preact */

/**
 * The landing page of a node, media or term as a whole HTML document: what its caller may view of it and of what
 * stands around it, with the Signposting links in its head. To be sent with `pageSecurityPolicy`.
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

/** @jsxImportSource preact */

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
