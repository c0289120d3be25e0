import type { FoundContent } from '../../repository/content/read-content.ts';
import type { Call } from '../../web/call.ts';
import type { GatheredPage } from '../content/gathered-page.ts';
import { mediaStage } from '../viewer/media-stage.ts';
import { gatherMediaFacts } from './gather-media-facts.ts';
import { type MediaPageData, mediaPage } from './media-page.tsx';

/** Reads the further data of a media's page. */
export async function gatherMediaPage(call: Call, found: FoundContent): Promise<GatheredPage> {
  const { model, fields } = call.api.services;
  const source = { model, fieldTypes: fields.types };
  const stage = mediaStage(found.parsed(), found.surroundings.file, source);
  const data: MediaPageData = { stage, facts: await gatherMediaFacts(call, found) };
  return { data, render: (shown, source) => mediaPage(shown, data, source) };
}
