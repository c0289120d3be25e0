import type { InStatement, InValue } from '@libsql/client';
import type { Database } from '../../database/database.ts';
import { failedUniqueness } from '../../database/errors.ts';
import type { HeldRun, ImportRun } from './import-run.ts';
import { takenOver } from './journal.ts';

/** The part of a row that is its node: the others are its media. */
const NODE = '';

/** What a row of a table has become, as far as it was loaded. */
export interface LoadedRow {
  readonly nodeId: number;
  readonly fingerprint: string;
  /** How many media the row was to have. */
  readonly fileCount: number;
  /** By part. */
  readonly media: ReadonlyMap<string, { readonly id: number; readonly fingerprint: string }>;
}

/** Something that is about to be made. */
export interface JournalEntry {
  readonly rowId: string;
  /** Of media; left out for the node. */
  readonly part?: string;
  readonly fingerprint: string;
}

/** Whether nothing is left to load of a row. */
export function isWhole({ media, fileCount }: LoadedRow): boolean {
  return media.size >= fileCount;
}

/** A part of a row is called after its column, and after its place in the cell if there are several. */
export function columnOfPart(part: string): string {
  return part.replace(/ \d+$/, '');
}

/** What the journal keeps of a node beside its fingerprint: how many files belong to it. */
export function nodeFingerprint(fingerprint: string, fileCount: number): string {
  return `${fileCount} ${fingerprint}`;
}

/**
 * Notes, in the transaction that makes it, what an item of a row has become. The transaction fails if it was made
 * already (`isMade`), or if the run was taken over (`isTakenOver`).
 */
export function noteItem(run: HeldRun, entry: JournalEntry, table: 'node' | 'media', uuid: string): InStatement {
  return {
    sql: NOTE[table],
    args: [run.id, run.lease, entry.rowId, entry.part ?? NODE, entry.fingerprint, uuid],
  };
}

const INTO = 'INSERT INTO import_item (run_id, row_id, part, entity_id, fingerprint)';
const RUN = '(SELECT id FROM import_run WHERE id = ? AND lease = ?)';
const noteIn = (table: string) => `${INTO} SELECT ${RUN}, ?, ?, e.id, ? FROM ${table} e WHERE e.uuid = ?`;
const NOTE = { node: noteIn('node'), media: noteIn('media') };
const NOTE_NODES = `${INTO} SELECT ${RUN}, j.value ->> 0, j.value ->> 1, e.id, j.value ->> 2
  FROM json_each(?) j CROSS JOIN node e ON e.uuid = j.value ->> 3`;

/** Statements of one run with all notes of nodes (`noteItem`) as one, for those that are made together. */
export function joinNotes(statements: readonly InStatement[]): InStatement[] {
  const notes: InValue[][] = [];
  const others: InStatement[] = [];
  for (const statement of statements) {
    if (typeof statement === 'object' && statement.sql === NOTE.node) notes.push(statement.args as InValue[]);
    else others.push(statement);
  }
  const [first] = notes;
  if (first === undefined) return others;
  const [run = null, lease = null] = first;
  return [...others, { sql: NOTE_NODES, args: [run, lease, JSON.stringify(notes.map((note) => note.slice(2)))] }];
}

/**
 * Returns true if a write failed because another process has created the same item of the same run, which may show as
 * a conflict of the node id that is reserved for the row.
 */
export function isMade(error: unknown): boolean {
  const taken = failedUniqueness(error);
  return taken === 'node.id' || (taken?.startsWith('import_item.') ?? false);
}

/** A write that failed because its run is somebody else's by now as `conflict`; any other failure as it is. */
export function orTakenOver(error: unknown): unknown {
  const isLost = error instanceof Error && /NOT NULL constraint failed: import_item\.run_id/.test(messageOf(error));
  return isLost ? takenOver(error) : error;
}

function messageOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message} ${messageOf(error.cause)}` : error.message;
}

/** Counts the rows of a table whose nodes have been created. */
export async function countLoaded(database: Database, { id }: Pick<ImportRun, 'id'>): Promise<number> {
  const row = await database.first('SELECT count(*) FROM import_item WHERE run_id = ? AND part = ?', [id, NODE]);
  return Number(row?.[0]);
}

/** What some rows of a table have become; those that were not begun are left out. */
export async function findLoaded(
  { client }: Database,
  { id }: Pick<ImportRun, 'id'>,
  rowIds: readonly string[],
): Promise<Map<string, LoadedRow>> {
  const { rows } = await client.execute({
    sql: `SELECT row_id, part, entity_id, fingerprint FROM import_item
      WHERE run_id = ? AND row_id IN (SELECT value FROM json_each(?)) ORDER BY row_id, part`,
    args: [id, JSON.stringify(rowIds)],
  });
  const found = new Map<string, LoadedRow>();
  let media = new Map<string, { id: number; fingerprint: string }>();
  for (const row of rows) {
    const [rowId, part, entityId, fingerprint] = row as unknown as [string, string, number, string];
    if (part !== NODE) {
      media.set(part, { id: entityId, fingerprint });
      continue;
    }
    media = new Map();
    const [count = '', ...rest] = fingerprint.split(' ');
    found.set(rowId, { nodeId: entityId, fingerprint: rest.join(' '), fileCount: Number(count), media });
  }
  return found;
}

/** Notes that rows have another number of files than when their nodes were made. */
export function changeFileCounts({ id }: ImportRun, counts: readonly [rowId: string, count: number][]): InStatement {
  return {
    sql: `UPDATE import_item SET fingerprint = (j.value ->> 1) || substr(fingerprint, instr(fingerprint, ' '))
      FROM json_each(?) j WHERE run_id = ? AND part = ? AND row_id = j.value ->> 0`,
    args: [JSON.stringify(counts), id, NODE],
  };
}
