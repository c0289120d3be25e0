import type { ImportCounts } from '../import/import-table.ts';
import type { TableProblem } from '../table/row-plan.ts';

/** The choices of a user for the import of an uploaded table. */
export interface TableUploadOptions {
  readonly delimiter: string;
  /** The name of the sheet of a spreadsheet; undefined for the first visible one. */
  readonly sheet?: string | undefined;
  readonly subdelimiter: string;
  readonly contentType: string;
  /** False if no missing term is created. */
  readonly newTerms: boolean;
  /** The vocabularies in which missing terms are created for every field. */
  readonly createTerms: readonly string[];
  readonly textFormat: string | undefined;
  /** Columns of further files, with the term of their use. */
  readonly additionalFiles: readonly (readonly [column: string, term: string])[];
  /** True to load a table again that was already loaded. */
  readonly again: boolean;
}

/** `interrupted`: the process that worked on it has ended. */
export type TableUploadState = 'checking' | 'checked' | 'importing' | 'stopped' | 'failed' | 'done' | 'interrupted';

/** The progress of a check or an import. */
export interface TableUploadProgress extends ImportCounts {
  /** The number of rows of the table; undefined while it is not known. */
  readonly totalRows: number | undefined;
  /** The part that is done, from 0 to 1. */
  readonly part: number;
  /** The time when the work began, in seconds since 1970, and the part that was done then. */
  readonly startedAt: number;
  readonly firstPart: number;
}

/** The result of the check of an uploaded table. */
export interface TableUploadReport {
  readonly rows: number;
  /** At most a thousand. */
  readonly problems: readonly TableProblem[];
  readonly problemCount: number;
  /** The number of terms to create by vocabulary, and the first ones. */
  readonly newTerms: readonly (readonly [vocabulary: string, count: number])[];
  readonly listedTerms: readonly { readonly vocabulary: string; readonly name: string; readonly line: number }[];
  readonly files: { readonly count: number; readonly bytes: number };
  /** The first uploaded files that no row names, and their number. */
  readonly unnamed: readonly string[];
  readonly unnamedCount: number;
  /** The first uploaded files without a byte. */
  readonly empty: readonly string[];
  /** The time when the same table was completely imported before, in seconds since 1970. */
  readonly importedAt: number | undefined;
  /** True if some of its rows are already loaded. */
  readonly isBegun: boolean;
}

/** An uploaded table. Times are seconds since 1970. */
export interface TableUpload {
  readonly id: number;
  /** The name of its folder. */
  readonly folder: string;
  /** The host name of the server with that folder. Null if it is not known. */
  readonly host: string | null;
  readonly userId: number;
  readonly fileName: string;
  readonly options: TableUploadOptions;
  readonly state: TableUploadState;
  readonly progress: TableUploadProgress | undefined;
  readonly report: TableUploadReport | undefined;
  /** The problem that stopped the import. */
  readonly failure: TableProblem | undefined;
  /** True once its user wants the work to stop. */
  readonly stops: boolean;
  readonly createdAt: number;
}

/** An upload whose lease this process holds. */
export interface HeldTableUpload extends TableUpload {
  readonly lease: string;
}

/** Returns true while a process works on an upload. */
export function isUnderWay({ state }: Pick<TableUpload, 'state'>): boolean {
  return state === 'checking' || state === 'importing';
}
