import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { FileRow } from '../../database/schema/files.ts';

/** The columns that determine how a file is treated. */
type TypeColumns = Pick<FileRow, 'filemime' | 'recognizedType'>;

/** Returns the MIME type by which a file is treated: that of its bytes, if it was stored without one. */
export function typeOfFile({ filemime, recognizedType }: TypeColumns): string {
  return recognizedType ?? filemime;
}

/** Returns the expression of `typeOfFile`. */
export function typeOfFileColumns({ filemime, recognizedType }: Record<keyof TypeColumns, SQLiteColumn>): SQL<string> {
  return sql<string>`coalesce(${recognizedType}, ${filemime})`;
}
