import Libsql from 'libsql';
import type { Storage } from '../../src/storage/storage.ts';

/**
 * The tables with the state of running processes, which backups exclude, and the number of changes of settings: the record
 * of a backup, which follows it, is one.
 */
const NOT_COMPARED = new Set([
  ...[
    'session',
    'password_reset',
    'mail_change',
    'flood_event',
    'object_hold',
    'discarded_object',
    'secret',
    'sqlite_stat1',
    'generation',
  ],
]);
/** The rows of a table that are compared. Restored stores get markers of their own. */
const COMPARED_ROWS: Readonly<Record<string, string>> = {
  setting: `WHERE name <> 'backup.last' AND name NOT LIKE 'storage.marker.%'`,
};

export interface Comparison {
  readonly differences: string[];
  rows: number;
  files: number;
  bytes: number;
}

/**
 * Compares two repositories without writers, row by row of every table and byte by byte of every file. `stores`
 * are those of each by their names.
 */
export async function compareRepositories(
  databases: readonly [string, string],
  stores: readonly [ReadonlyMap<string, Storage>, ReadonlyMap<string, Storage>],
): Promise<Comparison> {
  const [left, right] = databases.map((file) => new Libsql(file, { readonly: true })) as [
    Libsql.Database,
    Libsql.Database,
  ];
  const compared: Comparison = { differences: [], rows: 0, files: 0, bytes: 0 };
  try {
    const names = (database: Libsql.Database) =>
      database
        .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        .raw(true)
        .all()
        .flat() as string[];
    const schema = 'SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name';
    if (!Bun.deepEquals(rowsOf(left, schema), rowsOf(right, schema))) compared.differences.push('the schema differs');
    for (const table of names(left)) {
      if (NOT_COMPARED.has(table)) continue;
      const [ours, theirs] = [left, right].map((database) =>
        rowsOf(database, `SELECT * FROM "${table}" ${COMPARED_ROWS[table] ?? ''}`).sort(),
      );
      compared.rows += ours?.length ?? 0;
      if (!Bun.deepEquals(ours, theirs)) compared.differences.push(`${table}: ${firstDifference(ours, theirs)}`);
    }
    const files = left.prepare('SELECT uri, stored_in, storage_key FROM file').raw(true).all() as string[][];
    for (const [uri = '', storedIn, key = ''] of files) {
      const store = storedIn ?? uri.slice(0, uri.indexOf('://'));
      const [ours, theirs] = await Promise.all(stores.map((each) => bytesIn(each.get(store), key)));
      compared.files += 1;
      compared.bytes += ours?.byteLength ?? 0;
      if (ours === undefined || theirs === undefined || !Buffer.from(ours).equals(theirs))
        compared.differences.push(`${uri}: ${ours?.byteLength} and ${theirs?.byteLength} bytes`);
    }
    return compared;
  } finally {
    left.close();
    right.close();
  }
}

function rowsOf(database: Libsql.Database, sql: string): string[] {
  const rows = database.prepare(sql).raw(true).safeIntegers(true).all() as unknown[][];
  return rows.map((row) => JSON.stringify(row.map((value) => (typeof value === 'bigint' ? `${value}n` : value))));
}

function firstDifference(ours: readonly string[] = [], theirs: readonly string[] = []): string {
  const at = ours.findIndex((row, index) => row !== theirs[index]);
  return `${ours.length} and ${theirs.length} rows, first ${ours[at]} and ${theirs[at]}`.slice(0, 500);
}

async function bytesIn(storage: Storage | undefined, key: string): Promise<Uint8Array | undefined> {
  if ((await storage?.stat(key)) === undefined) return undefined;
  return new Response(await storage?.read(key)).bytes();
}
