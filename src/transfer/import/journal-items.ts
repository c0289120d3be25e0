import { and, count, eq, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { madeOnce } from '../../base/made-once.ts';
import type { Database } from '../../database/database.ts';
import { failedUniqueness } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { media, nodes } from '../../database/schema/content.ts';
import { importItems } from '../../database/schema/loading.ts';
import { runs } from '../../database/schema/runs.ts';
import { isAmong, namesOf } from '../../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../../database/statement.ts';
import type { ListedRow } from '../../repository/content/write/content-rows.ts';
import { type HeldRun, type ImportRun, importRuns } from './import-run.ts';

/** The part of a row for its node. Other parts are its media. */
const NODE = '';

/** The node and media of a row that were loaded. */
export interface LoadedRow {
  readonly nodeId: number;
  readonly fingerprint: string;
  /** The number of files of the row. */
  readonly fileCount: number;
  /** The loaded media by part. */
  readonly media: ReadonlyMap<string, { readonly id: number; readonly fingerprint: string }>;
}

/** A node or media that a transaction creates. */
interface JournalEntry {
  readonly rowId: string;
  /** Undefined for the node. */
  readonly part?: string;
  readonly fingerprint: string;
}

/** Returns true if a row is completely loaded. */
export function isWhole({ media, fileCount }: LoadedRow): boolean {
  return media.size >= fileCount;
}

/** Returns the column of a part, whose name may end in the position in the cell. */
export function columnOfPart(part: string): string {
  return part.replace(/ \d+$/, '');
}

/** Returns the fingerprint of a node in the journal, which begins with the number of its files. */
export function nodeFingerprint(fingerprint: string, fileCount: number): string {
  return `${fileCount} ${fingerprint}`;
}

/**
 * Returns the journal entry of an item, for the transaction that creates it. The transaction fails if the item exists
 * already (`isMade`), or if another process has taken over the run (`orTakenOver`).
 */
export function noteItem(run: HeldRun, entry: JournalEntry, table: 'node' | 'media', uuid: string): ListedRow {
  return { list: notesOf(run)[table], row: [entry.rowId, entry.part ?? NODE, entry.fingerprint, uuid] };
}

type NewItems = { readonly id: number; readonly lease: string; readonly list: string };

const insertItems = (entity: SQLiteTable & Record<'id' | 'uuid', SQLWrapper>) =>
  prepare(({ id, lease, list }: Named<NewItems>) => {
    const run = query
      .select({ id: runs.id })
      .from(runs)
      .where(and(eq(runs.id, id), eq(runs.lease, lease)));
    const { runId, rowId, part, entityId, fingerprint } = importItems;
    return plain(sql`INSERT INTO ${importItems} (${namesOf(runId, rowId, part, entityId, fingerprint)})
      SELECT ${run}, j.value ->> 0, j.value ->> 1, ${entity.id}, j.value ->> 2
      FROM json_each(${list}) j CROSS JOIN ${entity} ON ${entity.uuid} = j.value ->> 3`);
  });
const INSERT = { node: insertItems(nodes), media: insertItems(media) };

const notesOf = madeOnce(({ id, lease }: HeldRun) => {
  const notesIn = (table: keyof typeof INSERT): ListedRow['list'] => ({
    insert: (rows) => INSERT[table]({ id, lease, list: JSON.stringify(rows) }),
  });
  return { node: notesIn('node'), media: notesIn('media') };
});

/**
 * Returns true if a write failed because another process has created the same item of the same run, which may show as
 * a conflict of the node id that is reserved for the row.
 */
export function isMade(error: unknown): boolean {
  const taken = failedUniqueness(error);
  return taken === 'node.id' || (taken?.startsWith('import_item.') ?? false);
}

/** Returns `conflict` for a write that failed because another process has taken over the run; other errors unchanged. */
export function orTakenOver(error: unknown): unknown {
  const isLost = error instanceof Error && /NOT NULL constraint failed: import_item\.run_id/.test(messageOf(error));
  return isLost ? importRuns.takenOver(error) : error;
}

function messageOf(error: Error): string {
  return error.cause instanceof Error ? `${error.message} ${messageOf(error.cause)}` : error.message;
}

const countItems = prepare(({ runId, part }: Named<{ runId: number; part: string }>) =>
  query
    .select({ count: count() })
    .from(importItems)
    .where(and(eq(importItems.runId, runId), eq(importItems.part, part))),
);

/** Counts the rows of a table whose nodes have been created. */
export async function countLoaded(database: Database, { id: runId }: Pick<ImportRun, 'id'>): Promise<number> {
  return (await database.get(countItems({ runId, part: NODE })))?.count ?? 0;
}

const findItems = prepare(({ runId, rowIds }: Named<{ runId: number; rowIds: string }>) =>
  query
    .select()
    .from(importItems)
    .where(and(eq(importItems.runId, runId), isAmong(importItems.rowId, rowIds)))
    .orderBy(importItems.rowId, importItems.part),
);

/** Returns the loaded node and media of each row. Omits rows that were not started. */
export async function findLoaded(
  database: Database,
  { id: runId }: Pick<ImportRun, 'id'>,
  rowIds: readonly string[],
): Promise<Map<string, LoadedRow>> {
  const rows = new Map<string, LoadedRow>();
  let mediaOfRow = new Map<string, { id: number; fingerprint: string }>();
  for (const item of await database.all(findItems({ runId, rowIds: JSON.stringify(rowIds) }))) {
    const { rowId, part, entityId, fingerprint } = item;
    if (part !== NODE) {
      mediaOfRow.set(part, { id: entityId, fingerprint });
      continue;
    }
    mediaOfRow = new Map();
    const [fileCount = '', ...rest] = fingerprint.split(' ');
    const loaded = { nodeId: entityId, fingerprint: rest.join(' '), fileCount: Number(fileCount), media: mediaOfRow };
    rows.set(rowId, loaded);
  }
  return rows;
}

const updateFileCounts = prepare(({ runId, part, list }: Named<{ runId: number; part: string; list: string }>) => {
  const { fingerprint } = importItems;
  return plain(sql`UPDATE ${importItems}
    SET ${namesOf(fingerprint)} = (j.value ->> 1) || substr(${fingerprint}, instr(${fingerprint}, ' '))
    FROM json_each(${list}) j
    WHERE ${importItems.runId} = ${runId} AND ${importItems.part} = ${part} AND ${importItems.rowId} = j.value ->> 0`);
});

/** Returns the statement that notes another number of files for rows than when their nodes were created. */
export function changeFileCounts(
  { id: runId }: ImportRun,
  counts: readonly [rowId: string, count: number][],
): Statement {
  return updateFileCounts({ runId, part: NODE, list: JSON.stringify(counts) });
}
