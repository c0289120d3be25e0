import type { Row } from '@libsql/client';
import type Database from 'libsql';
import type { DamageLog } from '../damaged-text.ts';
import { createDecoder, type DescribedColumn } from '../decode-texts.ts';
import { textsAsBytes } from '../texts-as-bytes.ts';

/** A prepared statement whose rows may hold texts that are not UTF-8. */
export interface SafeStatement {
  readonly statement: Database.Statement;
  readonly isReader: boolean;
  /** The names of the columns. */
  readonly columns: string[];
  /** Decodes the texts of a row in place (`createDecoder`). */
  readonly decode: (row: Row) => Row;
}

/** Prepares a statement. Texts are read as bytes: the driver ends the process at a text that is not UTF-8. */
export function prepareSafely(database: Database.Database, sql: string, damages: DamageLog): SafeStatement {
  const statement = database.prepare(sql);
  if (!statement.reader) return { statement, isReader: false, columns: [], decode: (row) => row };
  const described = statement.columns() as unknown as DescribedColumn[];
  const columns = described.map(({ name }) => name);
  const converted = textsAsBytes(sql, described);
  if (converted === undefined) return { statement: statement.raw(true), isReader: true, columns, decode: (row) => row };
  return {
    statement: database.prepare(converted).raw(true),
    isReader: true,
    columns,
    decode: createDecoder(described, damages),
  };
}
