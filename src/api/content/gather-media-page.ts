import type { MediaPageData } from '../../representation/page-data.ts';
import type { Call } from '../call.ts';
import type { GatheredPage } from './gathered-page.ts';

/** Reads the further data of a media's page. */
export async function gatherMediaPage({ api }: Call): Promise<GatheredPage> {
  const data: MediaPageData = {};
  return { data, render: (shown, source) => api.pages.media(shown, data, source) };
}
