import type { FoundContent } from '../../repository/content/read-content.ts';
import type { NodePageData, PageQuery } from '../../representation/page-data.ts';
import type { Call } from '../call.ts';
import type { GatheredPage } from './gathered-page.ts';

/** Reads the further data of a node's page. */
export async function gatherNodePage({ api }: Call, _found: FoundContent, query: PageQuery): Promise<GatheredPage> {
  const data: NodePageData = { query };
  return { data, render: (shown, source) => api.pages.node(shown, data, source) };
}
