import type { ListRow } from '../../repository/lists/list-rows.ts';
import type { Choice, FormProblem } from './content-list-data.ts';

/** The missing parts: alternative texts of pictures, captions of recordings, languages of items. */
export type LackingName = 'text' | 'captions' | 'language';

/** The report of what lacks something that people with disabilities need. Addresses begin at the root of the site. */
export interface AccessibilityData {
  readonly token: string | undefined;
  readonly shown: LackingName;
  readonly counts: Readonly<Record<LackingName, { readonly count: number; readonly hasMore: boolean }>>;
  /** The address of each list, with the same collection. */
  readonly lists: Readonly<Record<LackingName, string>>;
  /** The address of this page. */
  readonly address: string;
  /** The address of the next page, if there is one; that of the first one, unless it is shown. */
  readonly next: string | undefined;
  readonly first: string | undefined;
  readonly rows: readonly LackingRow[];
  readonly collection: string;
  /** Undefined if they are too many to offer. */
  readonly collections: readonly Choice[] | undefined;
  readonly problems: readonly FormProblem[];
}

/** An entry of the report. */
export interface LackingRow extends ListRow {
  /** The path of a small picture. */
  readonly picture:
    | { readonly path: string; readonly width?: number | undefined; readonly height?: number | undefined }
    | undefined;
  /** The typed text. */
  readonly typed: string;
  readonly mayEdit: boolean;
}
