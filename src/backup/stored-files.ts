import Libsql from 'libsql';
import type { StoredBytes } from '../storage/storage.ts';
import { STORE } from './prepare-snapshot.ts';

const PAGE_ROWS = 1_000;

/** A file of a snapshot, and where its bytes are. */
export interface StoredFile extends StoredBytes {
  readonly id: number;
  readonly uri: string;
  readonly store: string;
  readonly key: string;
}

/** The files of a database in a file, page by page, so that there may be any number of them. */
export interface StoredFiles {
  /** In the order of their checksums. */
  all(): Generator<StoredFile>;
  close(): void;
}

/** Opens a database that nobody writes to. */
export function openStoredFiles(file: string): StoredFiles {
  const database = new Libsql(file);
  database.exec('PRAGMA temp_store = FILE');
  // In a file of its own that goes with the connection: the database itself stays as it is.
  database.exec('CREATE TEMP TABLE sorted (sha256 TEXT, id INTEGER, PRIMARY KEY (sha256, id)) WITHOUT ROWID');
  database.exec('INSERT INTO sorted SELECT sha256, id FROM file ORDER BY sha256, id');
  const page = database
    .prepare(
      `SELECT f.id, f.uri, ${STORE}, f.storage_key, f.filesize, f.sha256 FROM
        (SELECT sha256, id FROM sorted WHERE (sha256, id) > (?, ?) ORDER BY sha256, id LIMIT ${PAGE_ROWS}) s
        JOIN file f ON f.id = s.id ORDER BY s.sha256, s.id`,
    )
    .raw(true);
  return {
    *all() {
      let last: readonly [string, number] = ['', 0];
      for (;;) {
        const rows = page.all([...last]) as [number, string, string, string, number, string][];
        for (const [id, uri, store, key, bytes, sha256] of rows) yield { id, uri, store, key, bytes, sha256 };
        const end = rows.at(-1);
        if (end === undefined || rows.length < PAGE_ROWS) return;
        last = [end[5], end[0]];
      }
    },
    close: () => database.close(),
  };
}
