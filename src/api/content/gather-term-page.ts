import type { PageQuery, TermPageData } from '../../representation/page-data.ts';
import type { Call } from '../call.ts';
import type { GatheredPage } from './gathered-page.ts';

/** Reads the further data of a term's page. */
export async function gatherTermPage({ api }: Call, query: PageQuery): Promise<GatheredPage> {
  const data: TermPageData = { query };
  return { data, render: (shown, source) => api.pages.term(shown, data, source) };
}
