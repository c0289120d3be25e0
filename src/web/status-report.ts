/** The state of a part of the repository: fine, a warning, or a failure. */
export type StatusState = 'fine' | 'look' | 'fix';

/** A fact about the running repository. */
export interface StatusLine {
  readonly label: string;
  readonly value: string;
  readonly state: StatusState;
  /** The advice. */
  readonly advice?: string | undefined;
  /** The path of the page about it. */
  readonly path?: string | undefined;
}

/** Facts about one part of the repository. */
export interface StatusGroup {
  readonly title: string;
  readonly lines: readonly StatusLine[];
}

/** The state of the running repository, at one moment. */
export interface StatusReport {
  /** Seconds since 1970. */
  readonly at: number;
  readonly groups: readonly StatusGroup[];
}
