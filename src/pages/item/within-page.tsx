import { type Static, Type as t } from '@sinclair/typebox';
import { malformed } from '../../base/errors.ts';
import { numberText } from '../../base/in-words.ts';
import { languageOf, langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { etagOf } from '../../http/etag.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findShown } from '../../web/find-content-or-404.ts';
import { findWithin, SEARCH_QUERY, scopeOf } from '../../web/find-within.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { id, parameter, queryOf } from '../../web/parameters.ts';
import { type HtmlPage, representation } from '../../web/respond.ts';
import type { PageSource } from '../../web/site.ts';
import { Pager } from '../cards/pager.tsx';
import type { ContentView } from '../content/shown-content.ts';
import { htmlPage, Layout } from '../layout.tsx';
import { type View, viewOf } from '../view.ts';
import { gatherStage } from '../viewer/gather-stage.ts';
import type { Stage } from '../viewer/stage.ts';
import { Viewer } from '../viewer/viewer.tsx';
import { viewerAssets } from '../viewer/viewer-assets.ts';
import { SearchBox } from './search-box.tsx';

/** The route of the page that searches within an item. */
export const searchPageRoutes = (api: ApiServices) =>
  resource(api).get(paths.nodeSearch, async ({ call, query }) => answer(call, query), {
    check: { resource: 'entity.node', formats: PAGE_FORMATS },
    params: t.Object({ node: id('The id of the node.') }),
    query: QUERY,
  });

const QUERY = queryOf({
  ...SEARCH_QUERY.properties,
  at: t.Optional(
    parameter(
      { type: 'integer', minimum: 1, description: 'The id of the page that the viewer opens at.' },
      (text) => /^\d{1,9}$/.test(text),
      (value) => malformed(`The query parameter "at" must be the id of a page, found "${String(value).slice(0, 20)}".`),
    ),
  ),
});

async function answer(call: Call, { q = '', page, at }: Static<typeof QUERY>): Promise<Response> {
  const { pageSource } = call;
  const entity = await findShown(call, 'node', 'always');
  const shows = at === undefined ? undefined : Number(at);
  const [result, stage] = await Promise.all([
    findWithin(call, entity, { query: q, scope: scopeOf(call, entity), page, shows }),
    gatherStage(call, entity, shows),
  ]);
  const data: WithinPageData = {
    query: q,
    at: stage?.kind === 'pages' ? stage.at : undefined,
    page: result.page,
    pages: result.pages,
    matchingPages: result.canvases.map(({ node: { id: nodeId, label, language }, matches }) => ({
      ...{ id: nodeId, label, language },
      quotes: matches.map(({ before, exact, after }) => ({ before, exact, after })),
    })),
    stage: withQuery(stage, q, result.page),
  };
  const shown = withinPage({ content: entity.parsed(), around: entity.surroundings, links: [] }, data, pageSource);
  return representation(call, { ...shown, etag: etagOf(shown.body), changed: undefined, includesOthers: true });
}

/** Returns a stage whose viewer shows words. Only that of pages has a search. */
function withQuery(stage: Stage | undefined, query: string, page: number): Stage | undefined {
  if (stage?.kind !== 'pages' || query.trim() === '') return stage;
  return { ...stage, query, ...(page > 0 && { resultPage: page }) };
}

/** The number of places that are quoted of a page. */
const QUOTED = 5;

/** A page of an item with the searched words. */
interface PageMatches {
  /** The id of its node. */
  readonly id: number;
  readonly label: string;
  readonly language: string | undefined;
  /** The places, in the order of the text. */
  readonly quotes: readonly { readonly before: string; readonly exact: string; readonly after: string }[];
}

/** A page of the result of a search within a node. */
interface WithinPageData {
  readonly query: string;
  /** The id of the page that the viewer opens at. */
  readonly at: number | undefined;
  readonly matchingPages: readonly PageMatches[];
  readonly page: number;
  readonly pages: number;
  readonly stage: Stage | undefined;
}

/** Returns the page of a search within an item: its viewer with the search, and the pages with the words. */
function withinPage({ content, around }: ContentView, data: WithinPageData, source: PageSource): HtmlPage {
  const view = viewOf(content, around, source);
  const { label, language, root } = view;
  const { stage, query } = data;
  const { styles, modules, needs } = viewerAssets(stage);
  const path = pathOf('nodeSearch', { node: content.head.id });
  return htmlPage(
    <Layout
      site={source}
      title={query === '' ? label : `“${query}” · ${label}`}
      language={language}
      styles={['record.css', 'cards.css', 'item.css', ...styles]}
      modules={modules}
      needs={needs}
      head={<meta name="robots" content="noindex" />}
      stage={stage && <Viewer view={view} stage={stage} />}
    >
      <article class="within">
        <header class="record-head">
          <p class="kind" {...langWithin(PAGE_LANGUAGE, language)}>
            Search in
          </p>
          <h1 dir="auto">
            <a href={root + entityPath.node(content.head.id)}>{label}</a>
          </h1>
        </header>
        <SearchBox view={view} query={query} />
        <Results view={view} data={data} />
        <Pager
          page={data.page}
          pages={data.pages}
          addressOf={(page) => `${root}${path}?${new URLSearchParams({ q: query, page: String(page) })}`}
          language={language}
        />
      </article>
    </Layout>,
    needs,
  );
}

function Results({ view, data: { query, matchingPages, at } }: { view: View; data: WithinPageData }) {
  const lang = langWithin(PAGE_LANGUAGE, view.language);
  if (query.trim() === '') return <p {...lang}>Enter words, a “phrase”, or the beginning of a word such as harb*.</p>;
  if (matchingPages.length === 0 && at !== undefined)
    return <p {...lang}>The places of these words on their pages are not known.</p>;
  if (matchingPages.length === 0)
    return (
      <p {...lang}>
        No page has all of these words. Try fewer words, or the beginning of one with an asterisk. Recognized text has
        errors, above all in old print.
      </p>
    );
  return (
    <ol class="found-pages">
      {matchingPages.map((page) => (
        <li key={page.id} aria-current={page.id === at ? 'true' : undefined}>
          <FoundOnPage page={page} view={view} />
        </li>
      ))}
    </ol>
  );
}

function FoundOnPage({ page: { id, label, language, quotes }, view }: { page: PageMatches; view: View }) {
  const lang = langWithin(PAGE_LANGUAGE, view.language);
  const more = quotes.length - QUOTED;
  return (
    <>
      <h2>
        <a href={view.root + entityPath.node(id)} dir="auto" lang={language && languageOf(language)}>
          {label}
        </a>
      </h2>
      <ul>
        {quotes.slice(0, QUOTED).map(({ before, exact, after }, at) => (
          <li key={at} dir="auto">
            {before && `… ${before} `}
            <mark>{exact}</mark>
            {after && ` ${after} …`}
          </li>
        ))}
      </ul>
      {more > 0 && (
        <p class="soft" {...lang}>
          {more === 1 ? 'And one more place on this page.' : `And ${numberText(more)} more places on this page.`}
        </p>
      )}
    </>
  );
}
