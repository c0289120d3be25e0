import type { FoundContent } from '../../repository/content/read-content.ts';
import type { PageQuery, PageSource, ShownContent } from '../../representation/page-data.ts';
import type { Page } from '../api-services.ts';
import type { Call } from '../call.ts';
import { gatherMediaPage } from './gather-media-page.ts';
import { gatherNodePage } from './gather-node-page.ts';
import { gatherTermPage } from './gather-term-page.ts';

/** The further data of a content page, and its rendering. */
export interface GatheredPage {
  /** All that the page shows beside the content, as JSON: a cached page is valid while it is the same. */
  readonly data: object;
  render(shown: ShownContent, source: PageSource): Page;
}

/** Reads the further data of a content page, as far as the caller may view it. */
export async function gatherPage(call: Call, found: FoundContent, query: PageQuery): Promise<GatheredPage> {
  const { type } = found.content.kind;
  switch (type) {
    case 'node':
      return gatherNodePage(call, found, query);
    case 'media':
      return gatherMediaPage(call);
    case 'taxonomy_term':
      return gatherTermPage(call, query);
    case 'paragraph':
      throw new Error('paragraphs have no page');
    default:
      return type satisfies never;
  }
}
