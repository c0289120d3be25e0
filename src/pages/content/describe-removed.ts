import { isDamaged } from '../../database/damage.ts';
import type { Content } from '../../repository/content/content.ts';
import { type DescribeRemoved, TOMBSTONE_SITE } from '../../repository/content/tombstones.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { languageOf } from '../../web/content-links.ts';
import { apa } from '../cite/apa.ts';
import { citedWork } from '../cite/cited-work.ts';
import { describeContent } from '../description/description.ts';
import { viewOf } from '../view.ts';

/**
 * Returns what the page of a node shows once it is deleted, as callers without credentials may view it now. Undefined for a
 * node that they may not view, and if the site has no tombstones.
 */
export async function describeRemoved(api: ApiServices, content: Content): ReturnType<DescribeRemoved> {
  const { anonymous, hasTombstones } = api;
  const { kind, head } = content;
  if (!hasTombstones || !head.status || !kind.access.view(anonymous, head).isAllowed) return undefined;
  try {
    return await describe(api, content);
  } catch (error) {
    // A node with a damaged document can be deleted, too.
    if (!isDamaged(error)) throw error;
    return undefined;
  }
}

async function describe({ anonymous, content: reader, services, siteName, theme }: ApiServices, content: Content) {
  const { surroundings, parsed } = await reader.complete(content, { actor: anonymous, surroundings: 'always' });
  const { model, fields } = services;
  const site = { siteName, theme, baseUrl: TOMBSTONE_SITE, user: undefined };
  const view = viewOf(parsed(), surroundings, { ...site, actor: anonymous, model, fieldTypes: fields.types });
  const work = citedWork(describeContent(view, []), siteName, `node-${content.head.id}`);
  return { title: view.label, language: languageOf(content) ?? model.defaultLanguage, citation: apa(work) };
}
