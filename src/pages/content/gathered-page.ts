import type { Page } from '../../web/respond.ts';
import type { PageSource } from '../../web/site.ts';
import type { ContentView } from './shown-content.ts';

/** The origin of the values of a page: the database or a form. */
export type ContentState = 'stored' | 'typed';

/** The further data of a content page, and its rendering. */
export interface GatheredPage {
  /** All that the page shows beside the content, as JSON: a cached page is valid while it is the same. */
  readonly data: object;
  render(shown: ContentView, source: PageSource): Page;
}
