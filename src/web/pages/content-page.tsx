/** @jsxImportSource preact */
import type { Link } from '../../http/link.ts';
import type { ParsedContent } from '../../repository/content/content.ts';
import type { Surroundings } from '../../repository/content/surroundings.ts';
import { LeadMedia, MediaList } from '../components/attached-media.tsx';
import { shownFields } from '../components/field-values.ts';
import { Descriptions, Details } from '../components/fields.tsx';
import { RecordFoot } from '../components/record-foot.tsx';
import { Signposts } from '../components/signposts.tsx';
import { SourceFile } from '../components/source-file.tsx';
import { langWithin, PAGE_LANGUAGE } from '../language.ts';
import { documentText, Layout } from '../layout.tsx';
import { chooseMedia } from '../node-media.ts';
import type { PageSource } from '../page-source.ts';
import { viewOf } from '../view.ts';

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
