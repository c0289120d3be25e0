import { siteRoot } from '../../field-types/display/addresses.ts';
import { PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { paths } from '../../paths.ts';
import type { SearchData } from '../../representation/search/search-data.ts';
import { refined, type SearchState, searchParameters } from '../../representation/search/search-state.ts';
import type { Site } from '../../web/site.ts';
import { CardGrid } from '../cards/card-grid.tsx';
import { type HtmlPage, htmlPage, Layout } from '../layout.tsx';
import { ChosenFilters } from './chosen-filters.tsx';
import { Facets } from './facets.tsx';
import { FindBox } from './find-box.tsx';
import { HitList } from './hit-list.tsx';
import { BuildingNote, Ignored, NoResults, PastTheEnd } from './notices.tsx';
import { ResultChoices } from './result-choices.tsx';
import { ResultPager } from './result-pager.tsx';
import { searchLinker } from './search-linker.ts';
import { itemsFound, searchTitle } from './search-words.ts';

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
      styles={['cards.css', 'search.css']}
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
        {total > 1 && <ResultChoices state={state} linkTo={linkTo} />}
      </header>
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
        </section>
      </div>
    </Layout>,
  );
}

/** Returns the parameters that another text in the search box keeps. */
function keptBy(state: SearchState) {
  return searchParameters(refined(state, { text: '' }));
}
