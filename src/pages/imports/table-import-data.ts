/** A problem of a table, for its page. */
export interface ImportProblem {
  readonly row: number | undefined;
  readonly line: number | undefined;
  readonly column: string | undefined;
  readonly message: string;
}

export type ImportState = 'checking' | 'checked' | 'importing' | 'stopped' | 'failed' | 'done' | 'interrupted';

/** The progress of a check or an import. */
export interface ImportProgressData {
  readonly rows: number;
  /** Undefined while a table is read for the first time. */
  readonly totalRows: number | undefined;
  readonly nodes: number;
  readonly files: number;
  readonly bytes: number;
  readonly terms: number;
  /** From 0 to 1. */
  readonly part: number;
  /** Undefined while it is not known. */
  readonly secondsLeft: number | undefined;
}

/** The choices for an import. */
export interface ImportOptionsData {
  readonly delimiter: string;
  readonly subdelimiter: string;
  readonly contentType: string;
  readonly newTerms: boolean;
  readonly createTerms: readonly string[];
  readonly textFormat: string | undefined;
  readonly additionalFiles: readonly (readonly [column: string, term: string])[];
  readonly again: boolean;
}

/** The result of a check. */
export interface ImportReportData {
  readonly rows: number;
  readonly problems: readonly ImportProblem[];
  readonly problemCount: number;
  readonly newTerms: readonly (readonly [vocabulary: string, count: number])[];
  readonly listedTerms: readonly { readonly vocabulary: string; readonly name: string; readonly line: number }[];
  readonly files: { readonly count: number; readonly bytes: number };
  readonly unnamed: readonly string[];
  readonly unnamedCount: number;
  readonly empty: readonly string[];
  readonly importedAt: number | undefined;
  readonly isBegun: boolean;
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** An uploaded table. Times are seconds since 1970. */
export interface TableImportRow {
  readonly id: number;
  readonly fileName: string;
  readonly state: ImportState;
  readonly createdAt: number;
  readonly progress: ImportProgressData | undefined;
  /** The number of problems of the last check. Undefined without one. */
  readonly problems: number | undefined;
}

/** The page of one uploaded table. */
export interface TableImportData extends TableImportRow {
  readonly options: ImportOptionsData;
  readonly report: ImportReportData | undefined;
  readonly failure: ImportProblem | undefined;
  readonly stops: boolean;
  /** The uploaded files and their size. */
  readonly uploaded: { readonly count: number; readonly bytes: number };
  /** True if this server has the table. */
  readonly isHere: boolean;
  /** The name of the server with the table, if it is another one. */
  readonly otherServer: string | undefined;
  readonly hasResult: boolean;
  readonly contentTypes: readonly Choice[];
  readonly textFormats: readonly Choice[];
  /** The vocabularies in which the caller may create terms. */
  readonly vocabularies: readonly Choice[];
  readonly errors: readonly { readonly field?: string; readonly message: string }[];
  readonly formToken: string;
}

/** The page of all uploaded tables of a caller. */
export interface TableImportsData {
  readonly imports: readonly TableImportRow[];
  readonly maxFileBytes: number | undefined;
  readonly errors: readonly { readonly field?: string; readonly message: string }[];
  readonly formToken: string;
}
