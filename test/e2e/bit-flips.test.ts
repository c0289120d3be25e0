import { beforeAll, describe, expect, it } from 'bun:test';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { createRandom } from '../support/random.ts';
import { EXECUTABLE, type ServerProcess, startServer } from '../support/server-process.ts';
import { IS_FULL_SIZE, sized } from '../support/size.ts';
import { copyStopped } from '../support/test-repository.ts';

const FLIPS = sized(4, 40);
const NODES = 250;
/** The results by seed, at full size. */
const TABLE = join(import.meta.dir, '../../dist/bit-flips.md');
const TIMEOUT_MS = FLIPS * 60_000;

let original: string;
let intact: Buffer;
let nids: number[];
beforeAll(async () => {
  original = await emptyFolder();
  await copyStopped(original, async (repository) => {
    for (let number = 1; number <= NODES; number++)
      await repository.node({
        title: [{ value: `Letter ${number} of the harbour commission` }],
        field_description: [
          { value: `Description ${number}: ${'ships, “letters” and cargo '.repeat(40)}`, format: 'plain_text' },
        ],
      });
    const { database } = repository.running.services;
    nids = (await database.client.execute('SELECT id FROM node')).rows.map((row) => Number(row[0]));
  });
  const merged = Bun.spawn([EXECUTABLE, 'search', 'reindex', '--quiet', '--data', original], { stdout: 'ignore' });
  await merged.exited;
  intact = await readFile(join(original, 'repository.db'));
}, 120_000);

interface Flip {
  readonly seed: number;
  readonly place: string;
  readonly start: string;
  /** The number of failed requests of nodes. */
  readonly failed: number;
  readonly verify: string;
  readonly backup: string;
  readonly export: string;
  readonly reindex: string;
  readonly after: string;
}

describe('one random bit of the database flipped', () => {
  it(
    'ends no process, and is named by the verification if a node cannot be read',
    async () => {
      const flips: Flip[] = [];
      for (let seed = 1; seed <= FLIPS; seed++) flips.push(await flip(seed));
      if (IS_FULL_SIZE) await writeFile(TABLE, tableOf(flips));
      for (const each of flips) {
        const outcomes = [each.start, each.verify, each.backup, each.export, each.reindex, each.after];
        expect({ seed: each.seed, signals: outcomes.filter((outcome) => /^signal|crash/.test(outcome)) }).toEqual({
          seed: each.seed,
          signals: [],
        });
        if (each.failed > 0) expect({ ...each, verify: each.verify.slice(0, 1) }).toEqual({ ...each, verify: '1' });
      }
    },
    TIMEOUT_MS,
  );
});

async function flip(seed: number): Promise<Flip> {
  const random = createRandom(seed);
  const folder = await emptyFolder();
  await cp(original, folder, { recursive: true });
  const bytes = Buffer.from(intact);
  const [offset, bit] = [random.below(bytes.length), random.below(8)];
  bytes[offset] = (bytes[offset] as number) ^ (1 << bit);
  const put = async () => {
    for (const suffix of ['-wal', '-shm']) await rm(join(folder, `repository.db${suffix}`), { force: true });
    await writeFile(join(folder, 'repository.db'), bytes);
  };
  const repo = async (...args: string[]) => {
    const env = { PATH: process.env.PATH ?? '' };
    const child = Bun.spawn([EXECUTABLE, ...args, '--data', folder], { env, stdout: 'pipe', stderr: 'pipe' });
    const { code, out, err } = await outcomeOf(child);
    const lines = `${out}${err}`
      .split('\n')
      .filter((line) => /damaged|error|malformed|cannot|crash|WARN|ERROR/i.test(line));
    const shown = [...new Set(lines)].slice(0, 3).join(' / ').slice(0, 400);
    if (child.signalCode !== null || /oh no: Bun has crashed/.test(err)) return `signal ${child.signalCode}: ${shown}`;
    return `${code}${shown === '' ? '' : `: ${shown}`}`;
  };
  const work = await emptyFolder();
  await put();
  const { start, failed } = await serve(folder);
  await put();
  const verify = await repo('storage', 'verify', '--database', '--quiet');
  const backup = await repo('backup', join(work, 'backup'), '--quiet');
  const exported = await repo('export', join(work, 'nodes.csv'), '--quiet');
  const reindex = await repo('search', 'reindex', '--restart', '--quiet');
  const after = await repo('storage', 'verify', '--database', '--quiet');
  await rm(folder, { recursive: true });
  await rm(work, { recursive: true });
  return {
    ...{ seed, place: `byte ${offset} (page ${Math.floor(offset / 4096) + 1}), bit ${bit}` },
    ...{ start, failed, verify, backup, export: exported, reindex, after },
  };
}

/** Starts a server, requests every node, and stops it. */
async function serve(folder: string): Promise<Pick<Flip, 'start' | 'failed'>> {
  let server: ServerProcess;
  try {
    server = await startServer({ data: folder });
  } catch (error) {
    const reason = String(error).replace(/\s+/g, ' ').slice(0, 300);
    return { start: /signal|crash/.test(reason) ? `crash: ${reason}` : `refused: ${reason}`, failed: 0 };
  }
  let failed = 0;
  try {
    for (const nid of nids)
      for (const as of [undefined, 'admin']) {
        const { status } = await server.fetch(`/node/${nid}?_format=json`, { as });
        if (status >= 500) failed += 1;
      }
    await server.fetch('/search?q=letter', { headers: { Accept: 'text/html' } });
    await server.fetch('/', { headers: { Accept: 'text/html' } });
  } catch (error) {
    return { start: `crash: ${String(error)} ${server.complaints.join(' ').slice(0, 300)}`, failed };
  }
  const code = await server.stop();
  return { start: code === 0 ? 'ok' : `signal: ended with ${code}`, failed };
}

function tableOf(flips: readonly Flip[]): string {
  const columns = ['seed', 'place', 'start', 'failed', 'verify', 'backup', 'export', 'reindex', 'after'] as const;
  const line = (cells: readonly unknown[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |\n`;
  return (
    line(columns) +
    line(columns.map(() => '---')) +
    flips.map((each) => line(columns.map((name) => each[name]))).join('')
  );
}
