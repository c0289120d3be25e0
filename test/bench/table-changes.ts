import { readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE, startServer } from '../support/server-process.ts';
import { type Figure, report } from './report.ts';

/** A round trip of a table: export, changed cells in two columns, import, undo. `table-changes.ts 1000` with that number of rows. */

const ROWS = Number(process.argv[2] ?? 100_000);
/** The number of cells to change, in two columns of as many rows. */
const CELLS = Math.min(5_000, ROWS);
const MAX_SECONDS = 120;
const MAX_MB = 400;
/** The check of a table whose rows are named by a field. */
const MAX_KEY_SECONDS = 60;
const MEASURING = resolve(import.meta.dir, '../support/measuring-child.ts');

type Row = Record<string, string>;

const folder = await emptyFolder();
let seconds = 0;
let mostMb = 0;
const figures: Figure[] = [];
try {
  const data = join(folder, 'data');
  await (await startServer({ mode: 'repository', data, args: ['--log-level', 'warn'] })).stop();
  const nodes = join(folder, 'nodes.csv');
  const lines = Array.from({ length: ROWS }, (_, at) => `r${at},Letter ${at},Digital Document,K-${at},About ${at}`);
  await Bun.write(nodes, ['id,title,field_model,field_identifier,field_description', ...lines, ''].join('\n'));
  await run('import', nodes, '--data', data);
  [seconds, mostMb] = [0, 0];

  const before = await exported('before.csv');
  const exportedRows = parse(before, { columns: true }) as Row[];
  const changed = exportedRows.map((row, at) =>
    at < CELLS / 2 ? { ...row, title: `${row.title} (changed)`, field_description: '-' } : row,
  );
  const table = join(folder, 'changes.csv');
  await Bun.write(table, stringify(changed, { header: true }));
  const undo = (await run('import', table, '--update', '--data', data)).match(/--undo (\d+)/)?.[1] ?? '';
  const after = parse(await exported('after.csv'), { columns: true }) as Row[];
  const differing = after.reduce((sum, row, at) => sum + differences(row, exportedRows[at] ?? {}), 0);
  const roundTrip = seconds;
  const undoing = await timed(() => run('import', '--undo', undo, '--data', data));
  const isSame = (await exported('undone.csv')) === before;
  const keyed = join(folder, 'keyed.csv');
  await Bun.write(
    keyed,
    stringify(
      changed.map(({ field_identifier, title }) => ({ field_identifier, title })),
      { header: true },
    ),
  );
  const checking = await timed(() =>
    run('import', keyed, '--update', '--key', 'field_identifier', '--check', '--data', data),
  );
  figures.push(
    { name: 'export, update, export', ours: `${roundTrip.toFixed(1)} s`, value: roundTrip, limit: MAX_SECONDS },
    { name: 'undo', ours: `${undoing.toFixed(1)} s`, value: undoing, limit: MAX_SECONDS },
    {
      name: 'check of rows named by a field',
      ours: `${checking.toFixed(1)} s`,
      value: checking,
      limit: MAX_KEY_SECONDS,
    },
    { name: 'peak memory of a command', ours: `${mostMb.toFixed(0)} MB`, value: mostMb, limit: MAX_MB },
    { name: `cells that differ, and not ${CELLS}`, ours: `${differing}`, value: Math.abs(differing - CELLS), limit: 0 },
    { name: 'bytes after the undo differ', ours: isSame ? 'no' : 'yes', value: isSame ? 0 : 1, limit: 0 },
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
report(`${CELLS} cells of ${ROWS} rows changed by a table`, figures);

/** Runs a command, counts its time and memory, and returns what it prints. */
async function run(...words: string[]): Promise<string> {
  const measured = join(folder, 'peak-memory');
  const child = Bun.spawn([process.execPath, MEASURING, measured, EXECUTABLE, ...words, '--quiet'], {
    ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'inherit', cwd: folder },
  });
  const begun = performance.now();
  const [said, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
  if (code !== 0) throw new Error(`repo ${words.join(' ')} ended with ${code}`);
  seconds += (performance.now() - begun) / 1_000;
  mostMb = Math.max(mostMb, Number(await readFile(measured, 'utf8')) / 1e6);
  return said;
}

async function exported(name: string): Promise<string> {
  await run('export', join(folder, name), '--for-update', '--data', join(folder, 'data'));
  return readFile(join(folder, name), 'utf8');
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}

/** Returns the number of cells that differ, without the state of the export. */
function differences(one: Row, other: Row): number {
  return Object.keys(other).filter((column) => column !== 'revision' && one[column] !== other[column]).length;
}
