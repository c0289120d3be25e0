import { rename } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { and, ne } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import { query } from '../../database/query-builder.ts';
import { users } from '../../database/schema/users.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { ANONYMOUS_ID } from '../../repository/actor.ts';
import { parseDocument } from '../../repository/content/content.ts';
import { entityTarget } from '../../repository/content/referring-fields.ts';
import { MEMBER_OF } from '../../repository/relations.ts';
import { isThere, makeFolders, requireFolder, syncFolder, writeFileDurably } from '../files/durable-files.ts';
import { PackageError } from '../files/package.ts';
import { shown } from '../files/package-path.ts';
import { clearUnfinished, withWorkFolder } from '../files/work-folder.ts';
import { readContent } from '../package/read-content.ts';
import { MAX_SHEET_ROWS, type SheetFormat, sheetFormat, whyNotInCell } from '../spreadsheet/write-spreadsheet.ts';
import { ID, ID_COLUMN, REVISION } from '../table/columns.ts';
import { contentFingerprint } from '../table/content-fingerprint.ts';
import { spreadsheetCell } from '../table/spreadsheet-cell.ts';
import type { LoadContext } from '../table/table-options.ts';
import { tableFile } from '../table/write-table.ts';
import { countUnexported } from './count-unexported.ts';
import { type ExportSummary, ExportTally, type ExportWatch } from './export-report.ts';
import { nodeCells, targetIds } from './node-cells.ts';
import { findNodeFiles } from './node-files.ts';
import { type FilePlace, fileCells, type PlacedFile, placeFiles, writeNodeFile } from './placed-files.ts';
import type { SelectedNodes } from './select-nodes.ts';
import { tableColumns } from './table-columns.ts';
import { createTermCells, type TermCells } from './term-cells.ts';

export interface TableExport {
  /** The path of the table: a spreadsheet if it ends in `.xlsx` or `.ods`, otherwise CSV. */
  readonly table: string;
  /** The folder for files; undefined to leave them out. */
  readonly files: string | undefined;
  readonly delimiter: string;
  readonly subdelimiter: string;
  readonly contentType: string | undefined;
  /** True for a table that people open in spreadsheets: none of its cells is a formula. Default: exact values. */
  readonly isForSpreadsheets?: boolean;
  /** True for a table of changes: its rows name their nodes and the state that they had. */
  readonly isForUpdate?: boolean;
}

/**
 * Writes nodes as a table for an import, ordered by id, and their files into a folder. Writes the whole table or none;
 * none if an import would misread one of its cells. Throws PackageError if the table exists, the reason of the abort, and
 * errors of the system.
 */
export async function exportTable(
  context: LoadContext,
  selected: SelectedNodes,
  request: TableExport,
  watch: ExportWatch,
): Promise<ExportSummary> {
  const table = resolve(request.table);
  if (await isThere(table)) throw new PackageError(`${shown(table)} exists. Name another file.`);
  await requireFolder(dirname(table));
  if (request.files !== undefined) await requireFolder(dirname(resolve(request.files)));
  const count = await selected.count();
  if (sheetFormat(table) !== undefined && count >= MAX_SHEET_ROWS)
    throw new PackageError(
      `A sheet has at most ${MAX_SHEET_ROWS} rows, too few for ${count} nodes. Export them as CSV.`,
    );
  const tally = new ExportTally(watch, count);
  const { signal } = watch;
  await inWorkFolder(dirname(table), async (work) => {
    const temporary = join(work, basename(table));
    const write = (place?: FilePlace) =>
      writeFileDurably(
        temporary,
        tableFile(table, tableRows(context, selected, { ...request, place, tally, signal }), request.delimiter),
      );
    const folder = request.files === undefined ? undefined : resolve(request.files);
    if (folder === undefined) await write();
    else await inWorkFolder(folder, (ofFiles) => write({ folder, work: ofFiles }));
    if (!tally.isUnusable) await rename(temporary, table);
  });
  await syncFolder(dirname(table));
  if (request.files !== undefined) await countUnexported(context, selected, tally);
  const summary = tally.summary(!tally.isUnusable);
  // Ids are valid in the same repository.
  return request.isForUpdate ? { ...summary, losses: new Map() } : summary;
}

/** Calls `write` with a work folder in a folder, which it creates. Removes the work folders of killed exports. */
async function inWorkFolder<T>(folder: string, write: (work: string) => Promise<T>): Promise<void> {
  await makeFolders(folder);
  await clearUnfinished(folder);
  await withWorkFolder(folder, write);
}

export interface TableRows
  extends Pick<TableExport, 'table' | 'subdelimiter' | 'contentType' | 'isForSpreadsheets' | 'isForUpdate'> {
  readonly place: FilePlace | undefined;
  readonly tally: ExportTally;
  readonly signal: AbortSignal;
  readonly omitsDivided?: boolean;
}

/** Yields the rows of a table in batches, from its header. Throws the reason of the abort. */
export async function* tableRows(
  context: LoadContext,
  selected: SelectedNodes,
  request: TableRows,
): AsyncGenerator<string[][]> {
  const { contentType, subdelimiter, isForSpreadsheets, place, tally } = request;
  const format = sheetFormat(request.table);
  // A text of a spreadsheet is never computed.
  const cellOf = isForSpreadsheets && format === undefined ? spreadsheetCell : String;
  const { isForUpdate = false } = request;
  const columns = tableColumns(context.services.model, contentType, { hasFiles: place !== undefined, isForUpdate });
  const terms = createTermCells(context, subdelimiter);
  yield [columns];
  for await (const ids of selected.batches()) {
    const rows: string[][] = [];
    for (const cells of await batchCells(context, selected, { ...request, ids, terms })) {
      rows.push(columns.map((column) => cellOf(cells.get(column) ?? '')));
      if (format !== undefined) reportUnfit(cells, format, tally);
      tally.addNode();
    }
    yield rows;
  }
}

/** Reports the cells that a spreadsheet cannot hold. */
function reportUnfit(cells: ReadonlyMap<string, string>, format: SheetFormat, tally: ExportTally): void {
  for (const [column, cell] of cells) {
    const reason = whyNotInCell(cell, format);
    if (reason !== undefined) tally.addProblem(Number(cells.get(ID)), `${column} ${reason}. Export it as CSV.`, true);
  }
}

interface Batch extends TableRows {
  readonly ids: readonly number[];
  readonly terms: TermCells;
}

const UNREADABLE =
  'Not exported: its row is damaged (see the log above), the content model lacks its content type, or it was just deleted.';

/** Returns the rows of some nodes, after writing their files. */
async function batchCells(context: LoadContext, selected: SelectedNodes, batch: Batch): Promise<Map<string, string>[]> {
  const { ids, terms, subdelimiter, tally, place, signal } = batch;
  const nodes = (await readContent(context, 'node', ids)).map(parseDocument);
  const read = new Set(nodes.map(({ head }) => head.id));
  for (const id of ids.filter((each) => !read.has(each))) tally.addProblem(id, UNREADABLE);
  const parents = await selected.among(nodes.flatMap(({ members }) => targetIds(members[MEMBER_OF] ?? [])));
  const owners = await ownerNames(
    context,
    nodes.map(({ head }) => head.ownerId),
  );
  await terms.load(
    nodes.flatMap(({ bundle, members }) =>
      bundle.fields
        .filter((field) => entityTarget(field) === 'taxonomy_term')
        .flatMap(({ name }) => targetIds(members[name] ?? [])),
    ),
  );
  const files = place === undefined ? undefined : await findNodeFiles(context, ids, terms, tally);
  const rows: Map<string, string>[] = [];
  for (const node of nodes) {
    signal.throwIfAborted();
    const cells = nodeCells(node, {
      subdelimiter,
      fieldTypes: context.services.fields.types,
      terms,
      tally,
      omitsDivided: batch.omitsDivided ?? false,
      readsRule: (head) => context.kinds.node.access.update(context.actor, head).isAllowed,
      isInTable: (id) => !batch.isForUpdate && parents.has(id),
      ownerName: (id) => owners.get(id),
    });
    const placed = placeFiles(node.head.id, files?.get(node.head.id) ?? [], subdelimiter);
    const written = await writeFiles(context, node.head.id, placed, batch);
    if (batch.isForUpdate) cells.set(ID_COLUMN.node, String(node.head.id)).set(REVISION, contentFingerprint(node));
    rows.push(new Map([...cells, ...fileCells(written, subdelimiter)]));
  }
  return rows;
}

/** Writes files, and returns those that were written. Skips the files of a table that cannot be written. */
async function writeFiles(
  { services }: LoadContext,
  nodeId: number,
  files: readonly PlacedFile[],
  { place, tally, signal }: Batch,
): Promise<PlacedFile[]> {
  const written: PlacedFile[] = [];
  if (place === undefined || tally.isUnusable) return written;
  for (const each of files) {
    try {
      await writeNodeFile(services, place, each, signal);
    } catch (error) {
      if (!isOfFile(error)) throw error;
      tally.addProblem(nodeId, `${each.file.uri} is not exported. ${error.message}`);
      continue;
    }
    written.push(each);
    tally.addFile(each.file.filesize);
  }
  return written;
}

/** Returns true for an error of one file; false for errors of the disk or the store. */
function isOfFile(error: unknown): error is Error {
  return error instanceof PackageError || (error instanceof ServiceError && error.kind === 'storage-failed');
}

const findNames = prepare(({ ids }: Named<{ ids: string }>) =>
  query
    .select({ id: users.id, name: users.name })
    .from(users)
    .where(and(ne(users.id, ANONYMOUS_ID), isAmong(users.id, ids))),
);

async function ownerNames({ services }: LoadContext, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await services.database.all(findNames({ ids: JSON.stringify(ids) }));
  return new Map(rows.map(({ id, name }) => [id, name]));
}
