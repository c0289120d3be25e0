import Libsql from 'libsql';

/** What of a snapshot belongs to the processes and browsers of that moment, and would be wrong or in the way elsewhere. */
const SCRUB = [
  'DELETE FROM session',
  'DELETE FROM flood_event',
  'DELETE FROM object_hold',
  // The objects of these are not in the backup.
  'DELETE FROM discarded_object',
  'UPDATE derivative_job SET lease = NULL, available_at = created_at WHERE lease IS NOT NULL',
  'UPDATE fixity_run SET lease = NULL, lease_until = NULL',
];

/** What a backup tells of its database. */
export interface SnapshotFacts {
  /** The latest migration that it has. */
  readonly migration: string;
  readonly files: { readonly count: number; readonly bytes: number };
  readonly stores: Readonly<Record<string, { readonly files: number; readonly bytes: number }>>;
}

/** The name of the store that a file's bytes are in, in SQL (as `storeOf` in repository/files/scheme.ts). */
export const STORE = "coalesce(stored_in, substr(uri, 1, instr(uri, '://') - 1))";

/**
 * Takes out of a snapshot what does not outlive its moment, puts the secrets of the installation in that were files
 * beside the database, and answers what is in it.
 */
export function prepareSnapshot(file: string, secrets: ReadonlyMap<string, string>): SnapshotFacts {
  const database = new Libsql(file);
  try {
    database.exec('PRAGMA journal_mode = DELETE');
    // What is deleted is not to be found in free pages either.
    database.exec('PRAGMA secure_delete = ON');
    database.exec('BEGIN');
    for (const sql of SCRUB) database.exec(sql);
    const insert = database.prepare('INSERT INTO secret (name, value) VALUES (?, ?)');
    for (const [name, value] of secrets) insert.run([name, value]);
    database.exec('COMMIT');
    return readFacts(database);
  } finally {
    database.close();
  }
}

function readFacts(database: Libsql.Database): SnapshotFacts {
  const rows = (sql: string) => database.prepare(sql).raw(true).all() as unknown[][];
  const stores = rows(`SELECT ${STORE}, count(*), sum(filesize) FROM file GROUP BY 1`).map(
    ([name, files, bytes]) => [String(name), { files: Number(files), bytes: Number(bytes) }] as const,
  );
  return {
    migration: String(rows('SELECT max(name) FROM migration')[0]?.[0]),
    files: {
      count: stores.reduce((sum, [, { files }]) => sum + files, 0),
      bytes: stores.reduce((sum, [, { bytes }]) => sum + bytes, 0),
    },
    stores: Object.fromEntries(stores),
  };
}
