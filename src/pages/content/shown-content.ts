import type { Link } from '../../http/link-header.ts';
import type { ParsedContent } from '../../repository/content/content.ts';
import type { Surroundings } from '../../repository/content/read/surroundings.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { PageSource } from '../../web/site.ts';
import type { ViewedAs } from '../access/view-as-bar.tsx';

/** Content for its page, with the related entities that the caller may view and the Signposting links. */
export interface ContentView {
  readonly content: ParsedContent;
  readonly around: Surroundings;
  readonly links: readonly Link[];
  /** The form of values that are not saved. Undefined for stored content. */
  readonly preview?: Preview;
  /** The stranger as whom an editor views the page. Undefined for the caller. */
  readonly viewedAs?: ViewedAs;
}

/** The form behind a page that shows typed values which are not saved. */
export interface Preview {
  /** The path to which the form is sent. */
  readonly action: string;
  readonly token: string;
  /** The fields as they were typed. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  /** True for content that does not exist yet: it has no address. */
  readonly isNew: boolean;
  /** The names of the terms that do not exist yet. */
  readonly newTerms: readonly string[];
}

/** The origin of the values of a page: the database or a form. */
export type ContentState = 'stored' | 'typed';

/** A content page with its further data. */
export interface ContentPage {
  render(shown: ContentView, source: PageSource): HtmlPage;
}
