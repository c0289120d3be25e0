import type { LinkedType } from '../../repository/access-rule.ts';
import type { ImportCounts } from '../import/import-table.ts';
import type { TableProblem } from '../table/row-plan.ts';
import type { UpdatePlan } from '../update/update-plan.ts';

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
  /** Undefined for a table of new items. */
  readonly changes?: TableChanges | undefined;
}

/** The choices for a table that changes content. */
export interface TableChanges {
  readonly type: LinkedType;
  /** The column of a field that names the rows; undefined for the column of ids or UUIDs. */
  readonly key?: string | undefined;
  /** The columns whose cells add values to their fields. */
  readonly append: readonly string[];
  /** The columns whose cells remove values of their fields. */
  readonly remove: readonly string[];
  /** True to change what others have changed since the export, too. */
  readonly overwrites: boolean;
  /** The reason for the history; empty for the name of the table. */
  readonly reason: string;
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
  /** The changes that the table would make. Undefined for a table of new items. */
  readonly changes?: ReportedChanges | undefined;
}

/** The changes that a table would make. */
export interface ReportedChanges {
  /** The number of items that would change. */
  readonly items: number;
  /** The number of cells that would change, by column. */
  readonly cells: readonly (readonly [column: string, count: number])[];
  /** The number of cells that would lose all values. */
  readonly cleared: number;
  /** The first fifty rows that change something. Long texts are shortened. */
  readonly shown: readonly Pick<UpdatePlan, 'row' | 'line' | 'id' | 'label' | 'cells'>[];
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
  /** The bulk change that makes the changes of the table. Undefined before, and for a table of new items. */
  readonly run: number | undefined;
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
