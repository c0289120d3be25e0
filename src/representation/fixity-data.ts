/** A check of stored files, for its page. */
export interface FixityRunData {
  readonly id: number;
  /** Which files it covers, in words. */
  readonly scope: string;
  readonly state: 'complete' | 'running' | 'interrupted';
  readonly total: number;
  readonly checked: number;
  readonly bytes: number;
  readonly problems: number;
  /** Seconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
}

/** A file that was not intact, for the page. */
export interface FixityProblemData {
  readonly fileId: number;
  readonly uri: string;
  readonly outcome: 'damaged' | 'missing' | 'unreadable';
  readonly detail: string;
  readonly at: number;
  readonly mediaId: number | undefined;
  /** The items that the caller may view. */
  readonly items: readonly { readonly id: number; readonly label: string }[];
  /** True if an item uses the file that the caller may not view. */
  readonly hasHiddenItem: boolean;
}

/** The data of the page of fixity checks. */
export interface FixityData {
  readonly files: number;
  readonly intact: number;
  readonly neverChecked: number;
  /** The schedule in words. Undefined without one. */
  readonly schedule: string | undefined;
  readonly runs: readonly FixityRunData[];
  readonly problems: readonly FixityProblemData[];
  readonly problemCount: number;
  /** The page of the problems, from 0, and their number on a page. */
  readonly page: number;
  readonly pageSize: number;
  /** The token of the forms. Undefined for a caller who may not start checks. */
  readonly formToken: string | undefined;
}
