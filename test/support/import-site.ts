import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ImportCounts, type ImportSummary, importTable } from '../../src/transfer/import/import-table.ts';
import { prepareImport } from '../../src/transfer/import/prepare-import.ts';
import { type LoadContext, type TableOptions, USUAL_TABLE_OPTIONS } from '../../src/transfer/table/table-options.ts';
import { createTableSite } from './table-site.ts';
import type { TestRepository } from './test-repository.ts';

/** Tables that are imported into a repository of this process. */
export interface ImportSite {
  folder: string;
  context: LoadContext;
  /** Writes a table and returns where it is. */
  table(name: string, text: string): Promise<string>;
  /** Writes a file for tables and returns its name. */
  file(name: string, bytes: string | Uint8Array): Promise<string>;
  /** Checks and loads; throws the problems, one a line. Returns undefined for what was imported before. */
  import(file: string, options?: ImportSiteOptions): Promise<ImportSummary | undefined>;
  /** The lines of a result, without its header. */
  result(file: string): Promise<string[]>;
  count(sql: string): Promise<number>;
  remove(): Promise<void>;
}

export interface ImportSiteOptions {
  readonly again?: boolean;
  readonly table?: Partial<TableOptions>;
  /** Called between the check and the loading. */
  readonly onChecked?: () => Promise<unknown>;
  /** Called with what was made until then; may abort. */
  readonly onProgress?: (counts: ImportCounts, stop: () => void) => void;
}

export async function createImportSite(repository: TestRepository): Promise<ImportSite> {
  const { folder, context, remove } = await createTableSite(repository);
  const files = join(folder, 'files');
  await mkdir(files);
  const write = async (path: string, bytes: string | Uint8Array) => {
    await writeFile(path, bytes);
    return path;
  };
  return {
    folder,
    context,
    table: (name, text) => write(join(folder, name), text),
    async file(name, bytes) {
      await write(join(files, name), bytes);
      return name;
    },
    async import(file, { again = false, table, onChecked, onProgress = () => {} } = {}) {
      const stopping = new AbortController();
      const { signal } = stopping;
      const options = { ...USUAL_TABLE_OPTIONS, files, ...table };
      const prepared = await prepareImport(context, { file, options, again }, { signal, onProgress: () => {} });
      if ('finished' in prepared) return undefined;
      const lines = prepared.problems.map(({ row, column, message }) => `${row} ${column}: ${message}`);
      if (lines.length > 0) throw new Error(lines.join('\n'));
      await onChecked?.();
      const settings = { concurrency: 4, result: { target: `${file}.result`, baseUrl: 'https://example.org' } };
      const stop = () => stopping.abort(new Error('it was interrupted'));
      return importTable(context, prepared, settings, { signal, onProgress: (counts) => onProgress(counts, stop) });
    },
    result: async (file) => (await Bun.file(`${file}.result`).text()).trim().split('\n').slice(1),
    async count(sql) {
      return Number((await context.services.database.client.first(sql, []))?.[0]);
    },
    remove,
  };
}
