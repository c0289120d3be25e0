import type { TableUpload } from '../../transfer/uploads/upload.ts';
import type { FormProblem } from '../forms/error-summary.tsx';

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The page of one uploaded table. */
export interface TableImportData extends TableUpload {
  /** The present time, in seconds since 1970. */
  readonly now: number;
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
  readonly errors: readonly FormProblem[];
  readonly formToken: string;
}

/** A part of the page of an uploaded table. */
export interface ImportPart {
  readonly data: TableImportData;
  readonly root: string;
}

/** The page of all uploaded tables of a caller. */
export interface TableImportsData extends Pick<TableImportData, 'now' | 'errors' | 'formToken'> {
  readonly imports: readonly TableUpload[];
  readonly maxFileBytes: number | undefined;
}
