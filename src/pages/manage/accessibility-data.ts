import type { AccessibilityProblem } from '../../repository/accessibility/find-accessibility-problems.ts';
import type { ListRow } from '../../repository/lists/list-rows.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import type { Choice } from './content-list-data.ts';

/** The report of what lacks something that people with disabilities need. Addresses begin at the root of the site. */
export interface AccessibilityData {
  readonly token: string | undefined;
  readonly shown: AccessibilityProblem;
  readonly counts: Readonly<Record<AccessibilityProblem, { readonly count: number; readonly hasMore: boolean }>>;
  /** The address of each list, with the same collection. */
  readonly lists: Readonly<Record<AccessibilityProblem, string>>;
  /** The address of this page. */
  readonly address: string;
  /** The address of the next page, if there is one; that of the first one, unless it is shown. */
  readonly next: string | undefined;
  readonly first: string | undefined;
  readonly rows: readonly AccessibilityRow[];
  readonly collection: string;
  /** Undefined if they are too many to offer. */
  readonly collections: readonly Choice[] | undefined;
  readonly problems: readonly FormProblem[];
}

/** An entry of the report. */
export interface AccessibilityRow extends ListRow {
  /** The path of a small picture. */
  readonly picture:
    | { readonly path: string; readonly width?: number | undefined; readonly height?: number | undefined }
    | undefined;
  /** The typed text. */
  readonly typed: string;
  readonly mayEdit: boolean;
  /** True if the caller may replace the file of a media. */
  readonly mayReplace: boolean;
  /** True if the caller may add files to the item. */
  readonly mayAdd: boolean;
}
