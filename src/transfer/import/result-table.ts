import { randomBytes } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { releaseAfterRows } from '../../base/release-memory.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { nodes } from '../../database/schema/content.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { entityPath } from '../../paths.ts';
import { writeFileDurably } from '../files/durable-files.ts';
import type { NumberedRow } from '../table/row-index.ts';
import type { TableRow } from '../table/row-plan.ts';
import { spreadsheetCell } from '../table/spreadsheet-cell.ts';
import { tableFile } from '../table/write-table.ts';
import type { ImportRun } from './import-run.ts';
import { findLoaded, isWhole, type LoadedRow } from './journal-items.ts';
import { idOf } from './load-table.ts';

const COLUMNS = ['row', 'id', 'status', 'node_id', 'uuid', 'url', 'media'];

export interface ResultPlace {
  /** The path of the table, whose extension tells its format. */
  readonly target: string;
  /** The prefix of the paths of nodes; empty if it is unknown. */
  readonly baseUrl: string;
  /** True for a table that people open in spreadsheets: none of its cells is a formula. Default: exact values. */
  readonly isForSpreadsheets?: boolean;
}

/**
 * Writes a table with the result of each row: the id, UUID and address of its node, and its media such as
 * `additional_files 1:13|file:12`. Writes the whole table or none. Throws errors of the system.
 */
export async function writeResultTable(
  database: Database,
  run: Pick<ImportRun, 'id'>,
  rows: AsyncIterable<NumberedRow[]> | Iterable<NumberedRow[]>,
  { target, baseUrl, isForSpreadsheets = false }: ResultPlace,
): Promise<void> {
  const temporary = temporaryBeside(target);
  try {
    await writeFileDurably(
      temporary,
      tableFile(
        target,
        resultTable(database, run, rows, { baseUrl, cellOf: isForSpreadsheets ? spreadsheetCell : String }),
      ),
    );
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw ofTarget(error, temporary, target);
  }
}

async function* resultTable(
  database: Database,
  run: Pick<ImportRun, 'id'>,
  rows: AsyncIterable<NumberedRow[]> | Iterable<NumberedRow[]>,
  { baseUrl, cellOf }: { readonly baseUrl: string; readonly cellOf: (text: string) => string },
): AsyncGenerator<string[][]> {
  yield [COLUMNS];
  for await (const batch of rows) {
    const loaded = await findLoaded(
      database,
      run,
      batch.map(({ id }) => id),
    );
    const uuids = await findUuids(database, [...loaded.values()]);
    const lines = batch.map(({ number, id }) =>
      [String(number), id, ...factsOf(loaded.get(id), uuids, baseUrl)].map(cellOf),
    );
    yield lines;
    releaseAfterRows();
  }
}

const BATCH_ROWS = 500;

/** Returns rows in batches. */
export function* resultRows(rows: Iterable<NumberedRow>): Generator<NumberedRow[]> {
  let batch: NumberedRow[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** Returns the rows of a table. */
export async function* rowsOf(table: AsyncIterable<TableRow[]>): AsyncGenerator<NumberedRow[]> {
  for await (const batch of table) yield batch.map((row) => ({ number: row.number, id: idOf(row) }));
}

/** Throws the error of the system if no table can be written to a path. */
export async function requireWritable(target: string): Promise<void> {
  const temporary = temporaryBeside(target);
  try {
    await (await open(temporary, 'w')).close();
    await rm(temporary);
  } catch (error) {
    throw ofTarget(error, temporary, target);
  }
}

/** Returns an error with the path of the table instead of the temporary one. */
function ofTarget(error: unknown, temporary: string, target: string): unknown {
  const isOfTemporary = error instanceof Error && (error as NodeJS.ErrnoException).path === temporary;
  return isOfTemporary ? Object.assign(error, { path: target }) : error;
}

function temporaryBeside(target: string): string {
  return `${target}.${randomBytes(8).toString('hex')}.part`;
}

const uuidsOf = prepare(({ ids }: Named<{ ids: string }>) =>
  query.select({ id: nodes.id, uuid: nodes.uuid }).from(nodes).where(isAmong(nodes.id, ids)),
);

async function findUuids(database: Database, loaded: readonly LoadedRow[]): Promise<Map<number, string>> {
  const rows = await database.all(uuidsOf({ ids: JSON.stringify(loaded.map(({ nodeId }) => nodeId)) }));
  return new Map(rows.map(({ id, uuid }) => [id, uuid]));
}

function factsOf(loaded: LoadedRow | undefined, uuids: ReadonlyMap<number, string>, baseUrl: string): string[] {
  if (loaded === undefined) return ['not loaded', '', '', '', ''];
  const uuid = uuids.get(loaded.nodeId);
  const status = uuid === undefined ? 'deleted since' : isWhole(loaded) ? 'loaded' : 'files missing';
  const media = [...loaded.media].map(([part, { id }]) => `${part}:${id}`).join('|');
  const url = uuid === undefined ? '' : `${baseUrl}${entityPath.node(loaded.nodeId)}`;
  return [status, String(loaded.nodeId), uuid ?? '', url, media];
}
