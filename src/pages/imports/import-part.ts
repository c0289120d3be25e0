import type { TableImportData } from './table-import-data.ts';

/** The data and the root of the addresses of a part of the page of an uploaded table. */
export interface ImportPart {
  readonly data: TableImportData;
  readonly root: string;
}
