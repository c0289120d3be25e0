import type { ContentInContext } from '../../repository/content/read/read-content.ts';
import type { Call } from '../../web/call.ts';
import { gatherNodePage } from '../item/gather-node-page.ts';
import { gatherMediaPage } from '../media/gather-media-page.ts';
import { gatherTermPage } from '../term/gather-term-page.ts';
import type { PageQuery } from './page-query.ts';
import type { ContentPage, ContentState } from './shown-content.ts';

/**
 * Reads the further data of a content page, as far as the caller may view it. `typed` for content that is not saved: its place
 * among other content follows from its values.
 */
export async function gatherPage(
  call: Call,
  entity: ContentInContext,
  query: PageQuery,
  state: ContentState = 'stored',
): Promise<ContentPage> {
  const { type } = entity.content.kind;
  switch (type) {
    case 'node':
      return gatherNodePage(call, entity, query, state);
    case 'media':
      return gatherMediaPage(call, entity);
    case 'taxonomy_term':
      return gatherTermPage(call, entity, query);
    case 'paragraph':
      throw new Error('paragraphs have no page');
    default:
      return type satisfies never;
  }
}
