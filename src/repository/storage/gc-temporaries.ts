import type { Services } from '../services.ts';
import { STORE_OF_ROW } from './store-of-row.ts';

const ROWS_AT_ONCE = 500;
/** A file that nothing has referred to since before a moment, which is the parameter ?2. */
const IS_LEFT = `file.status = 0 AND file.changed < ?2 AND NOT EXISTS (
  SELECT 1 FROM reference WHERE target_type = 'file' AND target_id = file.id)`;

/** A file that was uploaded and never used. */
export interface TemporaryFile {
  readonly id: number;
  readonly uri: string;
  readonly bytes: number;
}

/** Files that nothing refers to, and nobody has changed since a moment (seconds since 1970); some at a time. */
export async function* findTemporaries(
  { database }: Services,
  before: number,
): AsyncGenerator<readonly TemporaryFile[], void, void> {
  for (let after = 0, found = ROWS_AT_ONCE; found === ROWS_AT_ONCE; ) {
    const { rows } = await database.client.execute({
      sql: `SELECT id, uri, filesize FROM file WHERE id > ?1 AND ${IS_LEFT} ORDER BY id LIMIT ${ROWS_AT_ONCE}`,
      args: [after, before],
    });
    const files = rows.map((row) => ({ id: Number(row[0]), uri: String(row[1]), bytes: Number(row[2]) }));
    if (files.length > 0) yield files;
    after = files.at(-1)?.id ?? after;
    found = rows.length;
  }
}

/**
 * Removes those of the files that are still what `findTemporaries` looks for: the rows first, then, in a moment, the
 * bytes. Answers them.
 */
export async function removeTemporaries(
  { database, discards }: Services,
  files: readonly TemporaryFile[],
  before: number,
): Promise<readonly TemporaryFile[]> {
  const args = [JSON.stringify(files.map(({ id }) => id)), before];
  const areLeft = `file.id IN (SELECT value FROM json_each(?1)) AND ${IS_LEFT}`;
  const [, removed] = await database.write([
    {
      sql: `INSERT INTO discarded_object (storage_key, scheme) SELECT storage_key, ${STORE_OF_ROW} FROM file WHERE ${areLeft}`,
      args,
    },
    { sql: `DELETE FROM file WHERE ${areLeft} RETURNING id, uri, filesize, storage_key, ${STORE_OF_ROW}`, args },
  ]);
  return (removed?.rows ?? []).map((row) => {
    discards.add(String(row[4]), String(row[3]));
    return { id: Number(row[0]), uri: String(row[1]), bytes: Number(row[2]) };
  });
}
