import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import type { BulkParts } from '../../src/bulk/bulk-parts.ts';
import { type BulkRun, findResults } from '../../src/bulk/find-runs.ts';
import { finishRun } from '../../src/bulk/finish-run.ts';
import { startUndo } from '../../src/bulk/start-run.ts';
import { createFindContent } from '../../src/repository/content/read/find-content.ts';
import { createFindAccount } from '../../src/repository/users/find-account.ts';
import { exportTable } from '../../src/transfer/export/export-table.ts';
import { selectNodes } from '../../src/transfer/export/select-nodes.ts';
import { type LoadContext, USUAL_TABLE_OPTIONS } from '../../src/transfer/table/table-options.ts';
import { checkUpdate, type UpdateCheck } from '../../src/transfer/update/check-update.ts';
import { startUpdate } from '../../src/transfer/update/start-update.ts';
import type { UpdateOptions } from '../../src/transfer/update/update-plan.ts';
import { EVERYTHING, NO_WATCH } from './export-site.ts';
import { createTableSite } from './table-site.ts';
import type { TestRepository } from './test-repository.ts';

/** A row of a table of changes, by column. */
export type UpdateRow = Record<string, string>;

/** Tables of changes for a repository of this process. */
export interface UpdateSite {
  context: LoadContext;
  /** Exports nodes for changes; the text of the table. */
  export(nodes: readonly number[]): Promise<string>;
  /** The row of one node. */
  row(node: number): Promise<UpdateRow>;
  check(rows: readonly UpdateRow[], options?: Partial<UpdateOptions>, context?: LoadContext): Promise<UpdateCheck>;
  /** The problems of a check, as `row column: message`. */
  problems(rows: readonly UpdateRow[], options?: Partial<UpdateOptions>, context?: LoadContext): Promise<string[]>;
  /** Checks, and makes the changes. */
  update(rows: readonly UpdateRow[], options?: Partial<UpdateOptions>): Promise<BulkRun>;
  undo(run: BulkRun): Promise<BulkRun>;
  /** The reasons of the skipped and failed items of a run. */
  reasons(run: BulkRun): Promise<(string | null)[]>;
  remove(): Promise<void>;
}

export async function createUpdateSite(repository: TestRepository): Promise<UpdateSite> {
  const { folder, context, remove } = await createTableSite(repository);
  const { services, kinds } = context;
  const { database } = services;
  const parts: BulkParts = {
    ...{ services: repository.running.services, kinds, findContent: createFindContent(database, kinds) },
    findAccount: createFindAccount(database, { idleSeconds: 1, absoluteSeconds: 1 }),
    makeActor: () => context.actor,
  };
  let tables = 0;
  const write = async (rows: readonly UpdateRow[]) => {
    const file = join(folder, `changes-${++tables}.csv`);
    const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
    await writeFile(file, stringify([...rows], { header: true, columns }));
    return file;
  };
  const optionsOf = (options: Partial<UpdateOptions>): UpdateOptions => ({
    ...{ ...USUAL_TABLE_OPTIONS, type: 'node' as const, modes: new Map(), overwrites: false },
    ...options,
  });
  const finish = (id: number) => finishRun(parts, id, { signal: NO_WATCH.signal, onProgress() {} });
  const site: UpdateSite = {
    context,
    async export(nodes) {
      const table = join(folder, `export-${++tables}.csv`);
      const selected = await selectNodes(context, { ...EVERYTHING, nodes: [...nodes] });
      const form = { files: undefined, delimiter: ',', subdelimiter: '|', contentType: undefined, isForUpdate: true };
      await exportTable(context, selected, { table, ...form }, NO_WATCH);
      return readFile(table, 'utf8');
    },
    async row(node) {
      const [row = {}] = parse(await site.export([node]), { columns: true }) as UpdateRow[];
      return row;
    },
    check: async (rows, options = {}, by = context) => checkUpdate(by, await write(rows), optionsOf(options)),
    async problems(rows, options, by) {
      const { problems } = await site.check(rows, options, by);
      return problems.map(({ row, column, message }) => `${row} ${column}: ${message}`);
    },
    async update(rows, options = {}) {
      const file = await write(rows);
      const whole = optionsOf(options);
      const { problems } = await checkUpdate(context, file, whole);
      if (problems[0] !== undefined) throw new Error(problems[0].message);
      const update = { file, name: 'changes.csv', reason: undefined, options: whole };
      return finish(await startUpdate(context, update, NO_WATCH.signal));
    },
    undo: async ({ id, type }) =>
      finish(await startUndo(database, context.actor, { id, type, field: undefined, membersOf: undefined })),
    async reasons({ id }) {
      const page = { runId: id, limit: 100, offset: 0 };
      const all = await Promise.all((['skipped', 'failed'] as const).map((each) => findResults(database, each, page)));
      return all.flat().map(({ reason }) => reason);
    },
    remove,
  };
  return site;
}
