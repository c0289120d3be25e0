import type { Row } from '@libsql/client';
import { type DamagedText, type DamageLog, markDamaged } from './damaged-text.ts';
import { kindOf, type ResultColumn } from './texts-as-bytes.ts';

/** A column of a result, with the column of a table that it shows. */
export interface DescribedColumn extends ResultColumn {
  readonly name: string;
  readonly column: string | null;
  readonly table: string | null;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lossy = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Returns a function that replaces bytes of a row by their text. Invalid bytes become U+FFFD; the row is then marked and
 * reported.
 */
export function createDecoder(columns: readonly DescribedColumn[], damages: DamageLog): (row: Row) => Row {
  const kinds = columns.map(kindOf);
  return (row) => {
    for (let index = 0; index < kinds.length; index++) {
      const value = row[index];
      if (typeof value === 'string') row[index] = Buffer.from(value, 'hex') as unknown as ArrayBuffer;
      if (typeof value !== 'object' || value === null || kinds[index] === 'bytes') continue;
      try {
        row[index] = strict.decode(value);
      } catch {
        row[index] = lossy.decode(value);
        const damaged = damagedAt(columns, index, row);
        markDamaged(row, [damaged]);
        damages.add(damaged);
      }
    }
    return row;
  };
}

function damagedAt(columns: readonly DescribedColumn[], index: number, row: Row): DamagedText {
  const { name, column, table, type } = columns[index] as DescribedColumn;
  const key = columns.findIndex((each) => each.table === table && KEYS.has(each.column ?? ''));
  const id = table === null || key === -1 ? undefined : row[key];
  return {
    isComputed: type === null,
    table: table ?? undefined,
    column: column ?? name,
    id: typeof id === 'number' ? id : undefined,
  };
}

/** The names of the columns that are keys of a table. */
const KEYS = new Set(['id', 'nid', 'rowid', 'file_id']);
