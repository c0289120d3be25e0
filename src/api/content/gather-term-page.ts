import { findCards } from '../../repository/content/find-cards.ts';
import { findNarrowerTerms } from '../../repository/content/find-narrower-terms.ts';
import type { FoundContent } from '../../repository/content/read-content.ts';
import { CARDS_PER_PAGE, type PageQuery, type TermPageData } from '../../representation/page-data.ts';
import type { Call } from '../call.ts';
import type { GatheredPage } from './gathered-page.ts';
import { cardSort } from './page-query.ts';

/** Reads the further data of a term's page. On a database server the reads share a round trip. */
export async function gatherTermPage(
  { api, actor }: Call,
  { content }: FoundContent,
  query: PageQuery,
): Promise<GatheredPage> {
  const { services } = api;
  const { id } = content.head;
  const { page } = query;
  const [narrower, items] = await Promise.all([
    findNarrowerTerms(services, actor, id),
    findCards(services, actor, { term: id }, { page, size: CARDS_PER_PAGE, sort: cardSort(query) }),
  ]);
  const data: TermPageData = { query, narrower, items };
  return { data, render: (shown, source) => api.pages.term(shown, data, source) };
}
