import type { ContentView, PageSource } from '../../representation/page-data.ts';
import type { Page } from '../api-services.ts';

/** The origin of the values of a page: the database or a form. */
export type ContentState = 'stored' | 'typed';

/** The further data of a content page, and its rendering. */
export interface GatheredPage {
  /** All that the page shows beside the content, as JSON: a cached page is valid while it is the same. */
  readonly data: object;
  render(shown: ContentView, source: PageSource): Page;
}
