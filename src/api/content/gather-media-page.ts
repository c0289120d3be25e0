import type { FoundContent } from '../../repository/content/read-content.ts';
import type { MediaPageData } from '../../representation/page-data.ts';
import type { Call } from '../call.ts';
import { gatherMediaFacts } from './gather-media-facts.ts';
import type { GatheredPage } from './gathered-page.ts';
import { mediaStage } from './media-stage.ts';

/** Reads the further data of a media's page. */
export async function gatherMediaPage(call: Call, found: FoundContent): Promise<GatheredPage> {
  const { model, fields } = call.api.services;
  const source = { model, fieldTypes: fields.types };
  const stage = mediaStage(found.parsed(), found.surroundings.file, source);
  const data: MediaPageData = { stage, facts: await gatherMediaFacts(call, found) };
  return { data, render: (shown, source) => call.api.pages.media(shown, data, source) };
}
