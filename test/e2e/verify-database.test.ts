import { beforeAll, describe, expect, it } from 'bun:test';
import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { FORGET_INDEX } from '../support/run-rows.ts';
import { EXECUTABLE, startServer } from '../support/server-process.ts';
import { copyStopped, IS_ON_SQLD } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const TITLE = 'Zygote quartz waltz';
const PAGE_BYTES = 4096;

let folder: string;
let intact: Buffer;
let nid: number;
beforeAll(async () => {
  folder = await emptyFolder();
  await copyStopped(folder, async (repository) => {
    const node = await repository.node({ title: [{ value: TITLE }] });
    nid = node.nid[0].value;
    const changed = { type: 'islandora_object', field_extent: [{ value: '3 pages' }] };
    await repository.patch(`/node/${nid}?_format=json`, changed, 'admin');
  });
  intact = await readFile(file());
});

const file = () => join(folder, 'repository.db');

/** Puts these bytes in the place of the database, without a log of writes. */
async function put(bytes: Buffer): Promise<void> {
  for (const suffix of ['-wal', '-shm']) await rm(`${file()}${suffix}`, { force: true });
  await writeFile(file(), bytes);
}

function repo(...args: string[]) {
  const env = { PATH: process.env.PATH ?? '' };
  return outcomeOf(Bun.spawn([EXECUTABLE, ...args, '--data', folder], { env, stdout: 'pipe', stderr: 'pipe' }));
}
const verify = () => repo('storage', 'verify', '--database');

let scratches = 0;
/** Does something with a database of its own: the driver may let go of a file later than it says. */
async function withScratch<T>(
  bytes: Buffer,
  work: (database: Libsql.Database) => T,
): Promise<{ result: T; bytes: Buffer }> {
  const scratch = join(folder, `scratch-${++scratches}.db`);
  await writeFile(scratch, bytes);
  const database = new Libsql(scratch);
  try {
    const result = work(database);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return { result, bytes: await readFile(scratch) };
  } finally {
    database.close();
  }
}

/** All that the rows hold of the node. */
async function stored(bytes: Buffer): Promise<string> {
  const { result } = await withScratch(bytes, (database) => {
    const all = (sql: string) => database.prepare(sql).raw(true).all(nid);
    return JSON.stringify([
      all('SELECT label, document FROM node WHERE id = ?'),
      all('SELECT snapshot FROM node_revision WHERE entity_id = ?'),
    ]);
  });
  return result;
}

function* placesOf(bytes: Buffer, text: string): Generator<number> {
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) yield at;
}

describe.skipIf(IS_ON_SQLD)('repo storage verify --database', () => {
  it('reports an intact database', async () => {
    await put(intact);
    const { code, out, err } = await verify();
    expect({ code, err }).toEqual({ code: 0, err: 'Checking the structure of the database …\n' });
    expect(out).toMatch(/^structure: intact\nChecked \d+ revisions: \d+ intact, 0 damaged, 0 problems\.\n$/);
  });

  it('finds changed bytes in every stored copy of a title: column, document and earlier revision', async () => {
    await put(intact);
    const before = await stored(intact);
    let found = 0;
    for (const at of placesOf(intact, TITLE)) {
      const bytes = Buffer.from(intact);
      for (const offset of [7, 9]) bytes[at + offset] = (bytes[at + offset] as number) ^ 2;
      // A free page, or the free part of one, may hold an old copy.
      if ((await stored(bytes)) === before) continue;
      await put(bytes);
      found += 1;
      const { code, out } = await verify();
      expect(code).toBe(1);
      expect(out).toMatch(new RegExp(`^node ${nid}, revision \\d+: damaged; `, 'm'));
    }
    expect(found).toBe(3);
  });

  it('reports an overwritten page', async () => {
    const bytes = Buffer.from(intact);
    const page = Math.floor((bytes.indexOf(TITLE) as number) / PAGE_BYTES);
    bytes.fill(0xff, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
    await put(bytes);
    const { code, out } = await verify();
    expect(code).toBe(1);
    expect(out).toMatch(/^structure: damaged; /m);
    expect(out).toMatch(/^Checked /m);
  });

  it('reports a database of 0 bytes', async () => {
    await put(intact);
    await truncate(file(), 0);
    const { code, out, err } = await verify();
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`The database ${file()} has no content: it is 0 bytes long.`);
  });

  it.each(['--scheme=public', '--restart', '--show', '--sample=5%'])(
    'rejects an option about files: %s',
    async (option) => {
      const { code, err } = await repo('storage', 'verify', '--database', option);
      expect({ code, err }).toEqual({
        code: 2,
        err: 'repo: --database can be combined only with --quiet and --schedule\nSee repo storage verify --help.\n',
      });
    },
  );
});

describe.skipIf(IS_ON_SQLD)('a damaged database', () => {
  /** Changes what the table of migrations holds. */
  async function withLedger(sql: string): Promise<void> {
    await put((await withScratch(intact, (database) => database.exec(sql))).bytes);
  }

  it.each([
    ['an invalid name', "UPDATE migration SET name = 'x' WHERE name = '0003_derivatives'"],
    ['no names', 'DELETE FROM migration'],
    ['a gap', "DELETE FROM migration WHERE name = '0002_linked_media'"],
  ])('is reported as damaged, and not as newer, with %s in its list of migrations', async (_what, sql) => {
    await withLedger(sql);
    for (const args of [['serve', '--port', '0'], ['user', 'list'], ['migrate'], ['backup', join(folder, 'b')]]) {
      const { code, err } = await repo(...args);
      expect(code).toBe(1);
      expect(err).toContain(`The database ${file()} is damaged: its table "migration" `);
      expect(err).toContain('repo storage verify --database');
      expect(err).toContain('repo restore');
      expect(err).not.toContain('newer');
    }
    const { code, out, err } = await verify();
    expect(code).toBe(1);
    expect(out).toBe('structure: intact\n');
    expect(err).toContain('is damaged: its table "migration" ');
  });

  it('is reported as damaged if only its first page is readable', async () => {
    const bytes = Buffer.from(intact);
    bytes.fill(0, PAGE_BYTES);
    await put(bytes);
    const { code, err } = await repo('serve', '--port', '0');
    expect({ code, err }).toEqual({
      code: 1,
      err: `The database ${file()} cannot be used: it is damaged, or not a database. Restore a backup with repo restore, or choose another data folder.\n`,
    });
  });

  it('is reported as damaged by a start and a command that read a damaged table', async () => {
    const { result } = await withScratch(intact, (database) =>
      database.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'user'").raw(true).get([]),
    );
    const [page] = result as [number];
    const bytes = Buffer.from(intact);
    bytes.fill(0, (page - 1) * PAGE_BYTES, page * PAGE_BYTES);
    await put(bytes);
    for (const args of [
      ['serve', '--port', '0'],
      ['user', 'list'],
    ]) {
      const { code, err } = await repo(...args);
      expect(code).toBe(1);
      expect(err.trim()).toMatch(
        /^The database cannot be used at present: it is damaged \(.*\)\. See how far with: repo storage verify --database\./,
      );
      expect(err.trim().split('\n')).toHaveLength(1);
    }
  });
});

describe.skipIf(IS_ON_SQLD)('a database with a text that is not UTF-8', () => {
  const named = () =>
    `node ${nid}: the text in its column document is not valid UTF-8. Restore a backup of before the damage`;

  it('is checked, copied, exported and indexed by commands that name its row', async () => {
    const broken = `cast(replace(cast(document as blob), cast('Zygote' as blob), x'5A79FF6F7465') as text)`;
    await put((await withScratch(intact, (database) => database.exec(`UPDATE node SET document = ${broken}`))).bytes);
    const backups = join(folder, 'backups');
    const found = await verify();
    expect(found.code).toBe(1);
    expect(found.out).toContain(named().replace(': the', ': damaged; the'));
    const backup = await repo('backup', backups, '--quiet');
    expect(backup.code).toBe(1);
    expect(backup.err).toContain(`Damaged: ${named()}`);
    expect(backup.err).toContain('The database has 1 damaged value; the backup contains it.');
    expect((await repo('backup', backups, '--list')).out).toContain('database of');
    const exported = await repo('export', join(folder, 'nodes.csv'), '--quiet');
    expect(exported.code).toBe(1);
    expect(exported.out).toContain(named());
    expect(exported.err).toContain(`Node ${nid}: Not exported: its row is damaged`);
    const indexed = await repo('search', 'reindex', '--quiet');
    expect(indexed.code).toBe(1);
    expect(indexed.out).toContain(named());
    expect(indexed.out).toContain('The search index has 1 nodes');
  });

  it('does not prevent a start, which builds the index', async () => {
    const bytes = (await withScratch(await readFile(file()), (database) => database.exec(FORGET_INDEX.join(';'))))
      .bytes;
    await put(bytes);
    const server = await startServer({ data: folder, expectedComplaints: [named()] });
    await until(() => server.log.some(({ msg }) => String(msg) === 'the search index is complete'));
    expect((await server.fetch(`/node/${nid}?_format=json`)).status).toBe(500);
    expect((await server.fetch('/')).status).toBe(200);
    expect(await server.stop()).toBe(0);
  });
});
