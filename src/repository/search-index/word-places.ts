import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Libsql from 'libsql';
import type { IndexEntry } from './index-entry.ts';

const COLUMNS = ['title', 'subject', 'creator', 'identifier', 'text', 'fulltext'] as const;

/** A place of a word: the word as Latin-1 of its bytes, the id of the node, the column and the position in it. */
type WordPlace = readonly [word: string, nid: number, column: number, offset: number];

/** A connection that reads one state of a full-text index. */
export interface WordReader {
  /** Yields the places of all words, ordered by word, node, column and position. Throws the errors of a damaged index. */
  places(): Generator<WordPlace>;
  /** Returns true if the averages include the sizes of all rows (`fts5_storage.c` of SQLite). */
  hasConsistentSizes(): Promise<boolean>;
  close(): void;
}

/** Opens the full-text index of a database file as it is now. Close it soon: the log of writes grows meanwhile. */
export function openWords(file: string): WordReader {
  const database = new Libsql(file);
  try {
    database.exec('PRAGMA temp_store = MEMORY');
    database.exec('CREATE VIRTUAL TABLE temp.place USING fts5vocab(main, search_text, instance)');
    database.exec('BEGIN');
    // The transaction reads from here on.
    database.prepare('SELECT count(*) FROM search_index').raw(true).get([]);
    return wordReader(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

/** An index that is built to be compared with another one. */
export interface ScratchIndex extends WordReader {
  /** Adds a node. */
  add(nid: number, texts: IndexEntry['texts']): void;
  /** Deletes its file. */
  remove(): Promise<void>;
}

/** Creates an empty full-text index in the folder for temporary files, with the definition of another one. */
export async function createScratchIndex(definition: string): Promise<ScratchIndex> {
  const folder = await mkdtemp(join(tmpdir(), 'repo-index-'));
  const database = new Libsql(join(folder, 'index.db'));
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF');
  database.exec(definition);
  database.exec('CREATE VIRTUAL TABLE temp.place USING fts5vocab(main, search_text, instance)');
  database.exec('BEGIN');
  const places = ['?', ...COLUMNS.map(() => '?')].join(', ');
  const insert = database.prepare(`INSERT INTO search_text (rowid, ${COLUMNS.join(', ')}) VALUES (${places})`);
  return {
    ...wordReader(database),
    add(nid, texts) {
      insert.run([nid, ...COLUMNS.map((column) => texts[column])]);
    },
    async remove() {
      database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function wordReader(database: Libsql.Database): WordReader {
  // As bytes: a damaged word may not be valid UTF-8.
  const sql = 'SELECT CAST(term AS BLOB), doc, CAST(col AS BLOB), offset FROM temp.place';
  return {
    *places() {
      const rows = database.prepare(sql).raw(true).iterate([]) as Iterable<[Buffer, number, Buffer, number]>;
      for (const [word, nid, column, offset] of rows) yield [word.toString('latin1'), nid, columnOf(column), offset];
    },
    async hasConsistentSizes() {
      const sums = [0, ...COLUMNS.map(() => 0)];
      const sizes = database.prepare('SELECT sz FROM search_text_docsize').raw(true).iterate([]) as Iterable<[Buffer]>;
      let count = 0;
      for (const [size] of sizes) {
        if (++count % PAUSE_AFTER === 0) await setImmediate();
        for (const [index, value] of [1, ...varintsIn(size)].entries()) sums[index] = (sums[index] ?? 0) + value;
      }
      const find = database.prepare('SELECT block FROM search_text_data WHERE id = 1').raw(true);
      const [averages] = (find.get([]) ?? []) as Buffer[];
      // The averages of an empty index are empty.
      const stored = averages === undefined ? [] : varintsIn(averages);
      // FTS5 does not subtract the sizes of replaced rows.
      return sums.every((sum, index) => sum <= (stored[index] ?? 0)) && [0, sums.length].includes(stored.length);
    },
    close: () => database.close(),
  };
}

function columnOf(name: Buffer): number {
  return COLUMNS.indexOf(name.toString('latin1') as (typeof COLUMNS)[number]);
}

/** Returns the numbers of a BLOB of SQLite's variable-length integers. */
function varintsIn(bytes: Buffer): number[] {
  const values: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    let value = 0;
    let byte: number;
    do {
      byte = bytes[at++] ?? 0;
      value = value * 128 + (byte & 0x7f);
    } while (byte >= 0x80 && at < bytes.length);
    values.push(value);
  }
  return values;
}

/** Compares places by their order. */
function compare(one: WordPlace, other: WordPlace): number {
  if (one[0] !== other[0]) return one[0] < other[0] ? -1 : 1;
  return one[1] - other[1] || one[2] - other[2] || one[3] - other[3];
}

/**
 * Yields the node of each place that only one of two indexes has; undefined now and then between them, so that the caller
 * can let others work.
 */
export function* differingNodes(one: WordReader, other: WordReader): Generator<number | undefined> {
  const [left, right] = [one.places(), other.places()];
  let [a, b] = [left.next(), right.next()];
  for (let count = 0; !a.done || !b.done; count++) {
    if (count % PAUSE_AFTER === 0) yield undefined;
    const order = a.done ? 1 : b.done ? -1 : compare(a.value, b.value);
    if (order < 0 && !a.done) yield a.value[1];
    if (order > 0 && !b.done) yield b.value[1];
    if (order <= 0) a = left.next();
    if (order >= 0) b = right.next();
  }
}

/** Number of rows between two pauses. */
const PAUSE_AFTER = 10_000;
