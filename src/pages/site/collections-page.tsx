import { siteRoot } from '../../field-types/display/addresses.ts';
import { PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { paths } from '../../paths.ts';
import type { FoundCards } from '../../repository/content/find-cards.ts';
import type { Site } from '../../web/site.ts';
import { CardGrid } from '../cards/card-grid.tsx';
import { Pager } from '../cards/pager.tsx';
import { CARDS_PER_PAGE } from '../content/page-query.ts';
import { type HtmlPage, htmlPage, Layout } from '../layout.tsx';
import { SiteHead } from './site-head.tsx';

export interface CollectionsData {
  readonly found: FoundCards;
  /** The shown page of the list, from 0. */
  readonly page: number;
}

/** Returns the list of all collections. */
export function collectionsPage({ found, page }: CollectionsData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { cards, total } = found;
  const pages = Math.ceil(total / CARDS_PER_PAGE);
  const query = page === 0 ? '' : `?page=${page}`;
  return htmlPage(
    <Layout
      site={site}
      title="Collections"
      language={PAGE_LANGUAGE}
      styles={['cards.css', 'site.css']}
      path={paths.collections}
      head={<SiteHead baseUrl={site.baseUrl} path={paths.collections + query} />}
    >
      <header class="list-head">
        <h1>Collections</h1>
        {total > 0 && <p class="soft">{total === 1 ? '1 collection' : `${NUMBER.format(total)} collections`}</p>}
      </header>
      {cards.length > 0 && <CardGrid cards={cards} root={root} />}
      {cards.length === 0 && (
        <p class="empty">
          {total === 0
            ? 'This repository has no public collections yet.'
            : `This list ends at page ${NUMBER.format(pages)}.`}
        </p>
      )}
      <Pager
        page={page}
        pages={pages}
        addressOf={(each) => root + paths.collections + (each === 0 ? '' : `?page=${each}`)}
      />
    </Layout>,
  );
}

const NUMBER = new Intl.NumberFormat('en');
