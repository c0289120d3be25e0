import { count, isNotNull, sql } from 'drizzle-orm';
import Libsql from 'libsql';
import { query } from '../../database/query-builder.ts';
import { derivativeJobs } from '../../database/schema/derivatives.ts';
import { files } from '../../database/schema/files.ts';
import { fixityRuns } from '../../database/schema/fixity.ts';
import { discardedObjects, objectHolds, secrets as secretTable } from '../../database/schema/system.ts';
import { floodEvents, sessions } from '../../database/schema/users.ts';
import { type Named, plain, prepare, statementOf } from '../../database/statement.ts';
import { storeOfRow } from '../../repository/files/stored-files.ts';
import type { StoredBytes } from '../../storage/storage.ts';
import { rowsIn, runIn } from './database-file.ts';

const PAGE_ROWS = 1_000;

/** Removes what belongs to the processes and browsers of that moment, and would be invalid elsewhere. */
const SCRUB = [
  query.delete(sessions),
  query.delete(floodEvents),
  query.delete(objectHolds),
  // The backup does not include these objects.
  query.delete(discardedObjects),
  query
    .update(derivativeJobs)
    .set({ lease: null, availableAt: sql`${derivativeJobs.createdAt}` })
    .where(isNotNull(derivativeJobs.lease)),
  query.update(fixityRuns).set({ lease: null, leaseUntil: null }),
];

/**
 * Removes temporary data from a snapshot, adds the secrets of the installation that were files beside the database, and
 * returns the facts about it that its manifest contains.
 */
export function prepareSnapshot(file: string, secrets: ReadonlyMap<string, string>) {
  const database = new Libsql(file);
  try {
    database.exec('PRAGMA journal_mode = DELETE');
    // Overwrites deleted rows, which free pages would keep.
    database.exec('PRAGMA secure_delete = ON');
    database.exec('BEGIN');
    for (const change of SCRUB) runIn(database, statementOf(change));
    for (const [name, value] of secrets)
      runIn(database, statementOf(query.insert(secretTable).values({ name, value })));
    database.exec('COMMIT');
    return readFacts(database);
  } finally {
    database.close();
  }
}

const countByStore = prepare(() =>
  query
    .select({ store: storeOfRow, files: count(), bytes: sql<number>`sum(${files.filesize})` })
    .from(files)
    .groupBy(storeOfRow),
);

function readFacts(database: Libsql.Database) {
  const stores = [...rowsIn(database, countByStore())];
  // The table of migrations is no part of the schema: the program creates it before any migration.
  const [migration] = database.prepare('SELECT max(name) FROM migration').raw(true).all().flat();
  return {
    migration: String(migration),
    files: {
      count: stores.reduce((sum, each) => sum + each.files, 0),
      bytes: stores.reduce((sum, each) => sum + each.bytes, 0),
    },
    stores: Object.fromEntries(stores.map(({ store, ...sums }) => [store, sums])),
  };
}

/** A file of a snapshot and the object that holds its bytes. */
export interface StoredFile extends StoredBytes {
  readonly id: number;
  readonly uri: string;
  readonly store: string;
  readonly key: string;
}

// SQL text where it concerns the temporary table, which is no part of the schema.
const sortFiles = prepare(() =>
  plain(
    sql`INSERT INTO sorted SELECT ${files.sha256}, ${files.id} FROM ${files} ORDER BY ${files.sha256}, ${files.id}`,
  ),
);
const readPage = prepare(({ sha256, id }: Named<{ sha256: string; id: number }>) => {
  const fields = { id: files.id, uri: files.uri, store: storeOfRow, key: files.storageKey };
  const bytes = { bytes: files.filesize, sha256: files.sha256 };
  return plain(
    sql`SELECT ${sql.join(Object.values({ ...fields, ...bytes }), sql`, `)} FROM
      (SELECT sha256, id FROM sorted WHERE (sha256, id) > (${sha256}, ${id}) ORDER BY sha256, id LIMIT ${PAGE_ROWS}) s
      JOIN ${files} ON ${files.id} = s.id ORDER BY s.sha256, s.id`,
    { ...fields, ...bytes },
  );
});

/**
 * Returns the files of a database file, to which no process writes, in the order of their checksums. Reads them in pages,
 * since there may be millions.
 */
export function* storedFilesOf(file: string): Generator<StoredFile> {
  const database = new Libsql(file);
  try {
    database.exec('PRAGMA temp_store = FILE');
    // SQLite keeps it in a file of its own until the connection closes, and does not change the database.
    database.exec('CREATE TEMP TABLE sorted (sha256 TEXT, id INTEGER, PRIMARY KEY (sha256, id)) WITHOUT ROWID');
    runIn(database, sortFiles());
    let last = { sha256: '', id: 0 };
    for (let found = PAGE_ROWS; found === PAGE_ROWS; ) {
      const page = [...rowsIn(database, readPage(last))];
      yield* page;
      found = page.length;
      const { sha256, id } = page.at(-1) ?? last;
      last = { sha256, id };
    }
  } finally {
    database.close();
  }
}
