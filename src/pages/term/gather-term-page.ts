import { findCards } from '../../repository/content/lists/find-cards.ts';
import { findNarrowerTerms } from '../../repository/content/lists/find-narrower-terms.ts';
import type { ContentInContext } from '../../repository/content/read/read-content.ts';
import type { Call } from '../../web/call.ts';
import { CARDS_PER_PAGE, cardSort, type PageQuery } from '../content/page-query.ts';
import type { ContentPage } from '../content/shown-content.ts';
import { type TermPageData, termPage } from './term-page.tsx';

/** Reads the further data of a term's page. On a database server the reads share a round trip. */
export async function gatherTermPage(
  { api, actor }: Call,
  { content }: ContentInContext,
  query: PageQuery,
): Promise<ContentPage> {
  const { services } = api;
  const { id } = content.head;
  const { page } = query;
  const [narrower, items] = await Promise.all([
    findNarrowerTerms(services, actor, id),
    findCards(services, actor, { term: id }, { page, size: CARDS_PER_PAGE, sort: cardSort(query) }),
  ]);
  const data: TermPageData = { query, narrower, items };
  return { render: (shown, source) => termPage(shown, data, source) };
}
