import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { outcomeOf } from './command-outcome.ts';
import { PNG } from './repository-routes.ts';
import { EXECUTABLE, startServer } from './server-process.ts';
import { until } from './until.ts';

/** A data folder and tables for it, for imports by the compiled program. */
export interface ImportPlace {
  readonly folder: string;
  readonly data: string;
  /** The folder of the files of tables. */
  readonly files: string;
  /** Writes a table and returns where it is. */
  table(name: string, rows: Iterable<string>): Promise<string>;
  /** Without files for tables of changes, and for `--undo` in place of a table. */
  start(table: string, ...args: string[]): RunningImport;
  /** Waits for its end. */
  run(table: string, ...args: string[]): ReturnType<typeof outcomeOf>;
  /** A number out of the database, as it is at the moment. */
  count(sql: string): number;
  remove(): Promise<void>;
}

export interface RunningImport {
  kill(signal: NodeJS.Signals): void;
  readonly outcome: ReturnType<typeof outcomeOf>;
  /** Resolves when a query returns at least `count`; rejects if the import ends before. */
  until(sql: string, count: number): Promise<void>;
}

/** The maximum wait for an import, in seconds. */
const MAX_WAIT_S = 60;

/** `environment`: of the program, such as where its database is. `parent`: the folder to be in. */
export async function createImportPlace(
  environment: Record<string, string> = {},
  parent = tmpdir(),
): Promise<ImportPlace> {
  const folder = await mkdtemp(join(parent, 'repo-import-'));
  const [data, files] = [join(folder, 'data'), join(folder, 'files')];
  await mkdir(files);
  const start = (table: string, ...args: string[]): RunningImport => {
    const isOfFiles = table !== '--undo' && !args.includes('--update');
    const command = [EXECUTABLE, 'import', table, ...args, '--data', data, ...(isOfFiles ? ['--files', files] : [])];
    const env = { PATH: process.env.PATH ?? '', ...environment };
    const child = Bun.spawn(command, { env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
    const outcome = outcomeOf(child);
    return {
      kill: (signal) => child.kill(signal),
      outcome,
      async until(sql, wanted) {
        const look = async () => {
          if (count(sql) >= wanted) return true;
          if (child.exitCode !== null) throw new Error(`the import has ended: ${JSON.stringify(await outcome)}`);
        };
        await until(look, { what: sql, seconds: MAX_WAIT_S });
      },
    };
  };
  const count = (sql: string): number => {
    const database = new Libsql(join(data, 'repository.db'), { readonly: true });
    try {
      return Number(Object.values(database.prepare(sql).get() as Record<string, unknown>)[0]);
    } finally {
      database.close();
    }
  };
  return {
    folder,
    data,
    files,
    async table(name, rows) {
      await writeFile(join(folder, name), [...rows].map((row) => `${row}\n`).join(''));
      return join(folder, name);
    },
    start,
    run: (table, ...args) => start(table, ...args).outcome,
    count,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Creates the repository of a place, or cleans up after killed processes. */
export async function openAndClose(data: string): Promise<void> {
  const server = await startServer({ from: 'source', data });
  await server.stop();
}

/** Writes small images that all differ and returns their names. */
export async function writeImages(folder: string, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, at) => `image-${at}.png`);
  for (const [at, name] of names.entries())
    await writeFile(join(folder, name), Buffer.concat([PNG, Buffer.from(`${at} `.repeat(40))]));
  return names;
}
