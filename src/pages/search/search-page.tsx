import { countInWords, numberText } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { paths } from '../../paths.ts';
import type { SearchData } from '../../representation/search/search-data.ts';
import { searchPages } from '../../representation/search/search-links.ts';
import {
  hasWords,
  isNarrowed,
  MAX_TABLE_ROWS,
  refined,
  SEARCH_VIEWS,
  type SearchState,
  searchParameters,
  tableParameters,
  withoutFilter,
} from '../../representation/search/search-state.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { CardGrid } from '../cards/card-grid.tsx';
import { VIEW_NAMES } from '../cards/list-choices.tsx';
import { Pager } from '../cards/pager.tsx';
import { FindBox, HiddenParameters } from '../find-box.tsx';
import { htmlPage, Layout } from '../layout.tsx';
import { BulkActionForm, mayChangeAll } from '../manage/bulk-action-form.tsx';
import { Facets } from './facets.tsx';
import { HitList } from './hit-list.tsx';
import { BuildingNote, Ignored, NoResults, PastTheEnd } from './notices.tsx';
import { SearchButton, SearchForms } from './search-forms.tsx';
import { type LinkTo, searchLinker } from './search-linker.ts';
import { itemsFound, searchTitle, yearsText } from './search-words.ts';

/** Returns the page of a search: the number of results, filters and facets, the results and their pages. */
export function searchPage(data: SearchData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { state, total, hits } = data;
  const linkTo = searchLinker(root);
  return htmlPage(
    <Layout
      site={site}
      title={searchTitle(state)}
      language={PAGE_LANGUAGE}
      styles={mayChangeAll(site, 'node') ? ['cards.css', 'search.css', 'bulk-action.css'] : ['cards.css', 'search.css']}
      path={paths.search}
      find={<FindBox root={root} text={state.text} kept={keptBy(state)} />}
      head={
        <>
          {/* Results are no pages of their own for search engines. */}
          <meta name="robots" content="noindex" />
          <link rel="canonical" href={searchLinker(site.baseUrl)(state)} />
        </>
      }
    >
      <header class="search-head">
        <h1>{itemsFound(data)}</h1>
        {total > 1 && <ResultChoices state={state} />}
      </header>
      {total > 0 && <SearchForms state={state} root={root} />}
      <ChosenFilters data={data} linkTo={linkTo} />
      <BuildingNote isBuilding={data.isBuilding} />
      <Ignored ignored={data.ignored} />
      <div class={total > 0 ? 'results' : 'no-results'}>
        {total > 0 && <Facets data={data} linkTo={linkTo} root={root} />}
        <section class="found" aria-label="Results">
          {total === 0 && <NoResults data={data} linkTo={linkTo} />}
          {total > 0 && hits.length === 0 && <PastTheEnd data={data} linkTo={linkTo} />}
          {hits.length > 0 && state.view === 'grid' && <CardGrid cards={hits.map(({ card }) => card)} root={root} />}
          {hits.length > 0 && state.view === 'list' && <HitList hits={hits} root={root} />}
          <ResultPager data={data} linkTo={linkTo} />
          {total > 0 && <TableForm data={data} root={root} />}
          {total > 0 && <ChangeForm data={data} site={site} root={root} />}
        </section>
      </div>
    </Layout>,
  );
}

/** Returns the parameters that another text in the search box keeps. */
function keptBy(state: SearchState) {
  return searchParameters(refined(state, { text: '' }));
}

const SORT_NAMES: readonly (readonly [SearchState['sort'], string])[] = [
  ['relevance', 'Relevance'],
  ['title', 'Title'],
  ['date', 'Date'],
  ['newest', 'Newest'],
];

/** The orders and layouts of the results. A search without words has no relevance. */
function ResultChoices({ state }: { state: SearchState }) {
  const isByWords = hasWords(state);
  const current = !isByWords && state.sort === 'relevance' ? 'newest' : state.sort;
  return (
    <nav class="choices" aria-label="Order and layout">
      <p>
        <span>Sort by</span>
        {SORT_NAMES.filter(([sort]) => isByWords || sort !== 'relevance').map(([sort, name]) => (
          <SearchButton key={sort} form="sort" name="sort" value={sort} isCurrent={sort === current}>
            {name}
          </SearchButton>
        ))}
      </p>
      <p>
        <span>Show as</span>
        {SEARCH_VIEWS.map((view) => (
          <SearchButton key={view} form="view" name="view" value={view} isCurrent={view === state.view}>
            {VIEW_NAMES[view]}
          </SearchButton>
        ))}
      </p>
    </nav>
  );
}

/** The pages of the results. From a position, they follow one after the other. */
function ResultPager({ data, linkTo }: { data: SearchData; linkTo: LinkTo }) {
  const { state, pages } = data;
  if (state.after === undefined)
    return <Pager page={state.page} pages={pages} addressOf={(page) => linkTo({ ...state, page, more: undefined })} />;
  const { first, next } = searchPages(data);
  return (
    <nav class="pager" aria-label="Pages of this list">
      <ul>
        <li>
          <a href={linkTo(first)}>First page</a>
        </li>
        <li>
          <a href={linkTo(state)} aria-current="page">
            <span class="unseen">Page </span>
            {numberText(state.page + 1)}
          </a>
        </li>
        {next !== undefined && (
          <li>
            <a rel="next nofollow" href={linkTo(next)}>
              Next
            </a>
          </li>
        )}
      </ul>
    </nav>
  );
}

/** The form with which editors change all results. */
function ChangeForm({ data: { state, total }, site, root }: { data: SearchData; site: Site; root: string }) {
  const source = { of: 'search', text: new URLSearchParams(searchParameters(refined(state, {}))).toString() } as const;
  const items = total === 1 ? 'this item' : `all ${countInWords(total, 'item')}`;
  return <BulkActionForm site={site} root={root} kind="node" source={source} items={items} />;
}

/** The form that returns all results as a table. */
function TableForm({ data: { state, total, mayChange }, root }: { data: SearchData; root: string }) {
  return (
    <form id="search-table" class="soft" action={root + paths.search}>
      <HiddenParameters parameters={tableParameters(state)} />
      <button type="submit" class="as-link">
        {total > MAX_TABLE_ROWS ? `Download the first ${numberText(MAX_TABLE_ROWS)} as CSV` : 'Download as CSV'}
      </button>
      {mayChange && (
        <>
          {' · '}
          <button type="submit" class="as-link" name="columns" value="changes">
            Export for changes
          </button>
        </>
      )}
    </form>
  );
}

interface Props {
  readonly data: SearchData;
  readonly linkTo: LinkTo;
}

/** The filters of a search, each as a link that removes it. Nothing without filters. */
function ChosenFilters({ data: { state, chosen }, linkTo }: Props) {
  if (!isNarrowed(state)) return null;
  const hasYears = state.from !== undefined || state.to !== undefined;
  return (
    <nav class="chosen" aria-label="Chosen filters">
      <ul>
        {chosen.map(({ name, value, facet, label }) => (
          <Chip
            key={`${name} ${value}`}
            facet={facet}
            label={label}
            href={linkTo(withoutFilter(state, { name, value }))}
          />
        ))}
        {hasYears && (
          <Chip
            facet="Years"
            label={yearsText(state)}
            href={linkTo(refined(state, { from: undefined, to: undefined }))}
          />
        )}
        {chosen.length + Number(hasYears) > 1 && (
          <li>
            <a rel="nofollow" href={linkTo(refined(state, { filters: {}, from: undefined, to: undefined }))}>
              Remove all filters
            </a>
          </li>
        )}
      </ul>
    </nav>
  );
}

function Chip({ facet, label, href }: { facet: string; label: string; href: string }) {
  return (
    <li>
      <a class="chip" rel="nofollow" href={href}>
        <span class="unseen">Remove the filter </span>
        <span class="soft">{facet}: </span>
        <bdi>{label}</bdi>
      </a>
    </li>
  );
}
