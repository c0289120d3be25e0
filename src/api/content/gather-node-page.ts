import { findAttachedFiles } from '../../repository/content/find-attached-files.ts';
import type { FoundContent } from '../../repository/content/read-content.ts';
import type { NodePageData, PageQuery } from '../../representation/page-data.ts';
import type { Call } from '../call.ts';
import type { GatheredPage } from './gathered-page.ts';

/** Reads the further data of a node's page. */
export async function gatherNodePage(
  { api }: Call,
  { surroundings }: FoundContent,
  query: PageQuery,
): Promise<GatheredPage> {
  const files = await findAttachedFiles(api.services, surroundings.media);
  const data: NodePageData = { query, files };
  return { data, render: (shown, source) => api.pages.node(shown, data, source) };
}
