import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { ExportProblem, ExportSummary, ExportWatch } from '../../src/transfer/export/export-report.ts';
import { exportTable, type TableExport } from '../../src/transfer/export/export-table.ts';
import { type NodeSelection, selectNodes } from '../../src/transfer/export/select-nodes.ts';
import { importTable } from '../../src/transfer/import/import-table.ts';
import { prepareImport } from '../../src/transfer/import/prepare-import.ts';
import { type LoadContext, type TableOptions, USUAL_TABLE_OPTIONS } from '../../src/transfer/table/table-options.ts';
import { emptyFolder } from './empty-folder.ts';

export const EVERYTHING: NodeSelection = { nodes: [], membersOf: undefined, contentType: undefined };
export const NO_WATCH = { signal: new AbortController().signal, onProgress() {}, onProblem() {} };

/** The result of an export to a table in its own folder. */
export interface ExportedTable {
  readonly folder: string;
  readonly table: string;
  readonly files: string;
  readonly summary: ExportSummary;
  readonly problems: readonly ExportProblem[];
  /** By the id of the row; only its cells that are not empty. */
  readonly rows: Record<string, Record<string, string>>;
}

/** Exports nodes, with their files, into a temporary folder. */
export async function exportedTable(
  context: LoadContext,
  selection: Partial<NodeSelection> = {},
  request: Partial<TableExport> = {},
  watch: Partial<ExportWatch> = {},
): Promise<ExportedTable> {
  const folder = await emptyFolder();
  const [table, files] = [join(folder, 'nodes.csv'), join(folder, 'files')];
  const problems: ExportProblem[] = [];
  const whole = { ...EVERYTHING, ...selection };
  const usual = { table, files, delimiter: ',', subdelimiter: '|', contentType: whole.contentType };
  const onProblem = (problem: ExportProblem) => void problems.push(problem);
  const selected = await selectNodes(context, whole);
  const summary = await exportTable(context, selected, { ...usual, ...request }, { ...NO_WATCH, onProblem, ...watch });
  const delimiter = request.delimiter ?? ',';
  const rows = summary.isWritten ? rowsOf(await readFile(table, 'utf8'), delimiter) : {};
  return { folder, table, files, summary, problems, rows };
}

function rowsOf(text: string, delimiter: string): ExportedTable['rows'] {
  const found: Record<string, string>[] = parse(text, { columns: true, delimiter });
  return Object.fromEntries(
    found.map((row) => [row.id, Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== ''))]),
  );
}

/** Imports a table into a repository. Throws if anything is wrong with it. */
export async function importExported(
  context: LoadContext,
  { table, files, folder }: ExportedTable,
  options: Partial<TableOptions> = {},
): Promise<void> {
  const request = { file: table, options: { ...USUAL_TABLE_OPTIONS, files, ...options }, again: false };
  const prepared = await prepareImport(context, request, NO_WATCH);
  if (!('check' in prepared)) throw new Error('it was imported before');
  if (prepared.problemCount > 0)
    throw new Error(prepared.problems.map(({ column, message }) => `${column}: ${message}`).join('\n'));
  const result = { target: join(folder, 'result.csv'), baseUrl: '' };
  const { failure } = await importTable(context, prepared, { concurrency: 4, result }, NO_WATCH);
  if (failure) throw new Error(failure.message);
}
