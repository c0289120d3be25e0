import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { openDatabase } from '../../../src/database/remote/open-database.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { elementsOf } from '../../support/page.ts';
import { type ServerProcess, startServer } from '../../support/server-process.ts';
import { type Sqld, startSqld } from '../../support/sqld.ts';
import { IMPORTS } from '../../support/table-upload.ts';
import { copyFirstStart } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

/** So many that an import is seen, stopped or killed before its end. */
const ROWS = 15_000;
const tableOf = (title: string) =>
  `id,title,field_model\n${Array.from({ length: ROWS }, (_, at) => `${at},${title} ${at},Image`).join('\n')}\n`;

interface Progress {
  readonly state: string;
  readonly part: number;
  readonly rows: number;
  readonly total_rows: number | null;
  readonly nodes: number;
}

const html = { Accept: 'text/html' };
const open = async (server: ServerProcess, path: string) => (await server.fetch(path, { headers: html })).text();
const tokenOf = async (server: ServerProcess) =>
  elementsOf(await open(server, IMPORTS), 'input[name=form_token]')[0]?.attributes.value ?? '';
const progressOf = async (server: ServerProcess, path: string) =>
  (await (await server.fetch(`${path}?_format=json`)).json()) as Progress;
const stateOf = async (server: ServerProcess, path: string) => (await progressOf(server, path)).state;

async function upload(server: ServerProcess, title: string): Promise<string> {
  const form = new FormData();
  form.append('form_token', await tokenOf(server));
  form.append('table', new File([tableOf(title)], 'items.csv'));
  const sent = await server.fetch(IMPORTS, { method: 'POST', headers: html, body: form });
  const path = (sent.headers.get('location') ?? '').replace(server.url, '');
  await until(async () => (await stateOf(server, path)) === 'checked', { seconds: 30 });
  return path;
}

const press = async (server: ServerProcess, path: string, act: string) =>
  server.fetch(path, {
    method: 'POST',
    headers: { ...html, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ form_token: await tokenOf(server), act }).toString(),
  });

/** Follows an import on a server that does not run it, until it ends. */
async function follow(server: ServerProcess, path: string): Promise<Progress[]> {
  const seen: Progress[] = [];
  await until(
    async () => {
      const progress = await progressOf(server, path);
      seen.push(progress);
      return progress.state !== 'importing';
    },
    { seconds: 60 },
  );
  return seen;
}

/** Checks that the steps are those of one import, which grows. */
function expectGrowth(seen: readonly Progress[]): void {
  const nodes = seen.map((progress) => progress.nodes);
  expect(nodes).toEqual(nodes.toSorted((one, other) => one - other));
  expect(seen.some(({ state, nodes: some }) => state === 'importing' && some > 0 && some < ROWS)).toBe(true);
  expect(seen.at(-1)).toMatchObject({ state: 'done', part: 1, rows: ROWS, total_rows: ROWS, nodes: ROWS });
}

describe('the import of a table by one of two processes on a data folder', () => {
  let folder: string;
  let runs: ServerProcess;
  let other: ServerProcess;
  beforeAll(async () => {
    folder = await emptyFolder();
    await copyFirstStart(folder);
    runs = await startServer({ from: 'source', data: folder });
    other = await startServer({ from: 'source', data: folder });
  });
  afterAll(async () => {
    for (const server of [runs, other]) await server.stop();
    expect([...runs.complaints, ...other.complaints]).toEqual([]);
    await rm(folder, { recursive: true, force: true });
  });

  it('is shown by the other with its progress and result', async () => {
    const path = await upload(runs, 'Followed');
    expect((await press(runs, path, 'start')).status).toBe(303);
    await until(async () => (await progressOf(other, path)).nodes > 0);
    expect(await open(other, IMPORTS)).toContain('Being imported');
    expectGrowth(await follow(other, path));
    const page = await open(other, path);
    expect(page).toContain('The table is imported');
    expect((await open(other, `${path}/result.csv`)).trim().split('\n')).toHaveLength(ROWS + 1);
  }, 90_000);

  it('can be stopped and continued by the other', async () => {
    const path = await upload(runs, 'Stopped');
    await press(runs, path, 'start');
    await until(async () => (await progressOf(other, path)).nodes > 0);
    expect((await press(other, path, 'start')).status).toBe(409);
    expect((await press(other, path, 'stop')).status).toBe(303);
    await until(async () => (await stateOf(other, path)) === 'stopped', { seconds: 30 });
    const { nodes } = await progressOf(other, path);
    expect(nodes).toBeLessThan(ROWS);
    expect((await press(other, path, 'start')).status).toBe(303);
    expect((await follow(runs, path)).at(-1)).toMatchObject({ state: 'done', nodes: ROWS - nodes });
  }, 90_000);

  it('is shown as interrupted after a kill of its process, and can be continued', async () => {
    const path = await upload(runs, 'Killed');
    await press(runs, path, 'start');
    await until(async () => (await progressOf(other, path)).nodes > 0);
    await runs.kill();
    expect(await stateOf(other, path)).toBe('interrupted');
    expect((await press(other, path, 'start')).status).toBe(303);
    expect((await follow(other, path)).at(-1)?.state).toBe('done');
  }, 90_000);
});

describe('the import of a table on one of two servers with their own data folders', () => {
  let folder: string;
  let sqld: Sqld;
  let runs: ServerProcess;
  let other: ServerProcess;
  beforeAll(async () => {
    folder = await emptyFolder();
    sqld = await startSqld();
    const database = { ...DEFAULT_SERVER_CONFIG.database, url: sqld.url };
    const schemes = DEFAULT_SERVER_CONFIG.schemes.map((scheme) =>
      scheme.driver === 'local' ? { ...scheme, folder: join(folder, 'stores', scheme.name) } : scheme,
    );
    runs = await startServer({ data: join(folder, 'a'), settings: { database, schemes } });
    other = await startServer({ data: join(folder, 'b'), settings: { database, schemes } });
  }, 60_000);
  afterAll(async () => {
    for (const server of [runs, other]) await server.stop();
    expect([...runs.complaints, ...other.complaints]).toEqual([]);
    await sqld.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Pretends that the table is on a server with another name, or none: both servers are on this machine. */
  async function name(server: string | null): Promise<void> {
    const place = { ...DEFAULT_SERVER_CONFIG.database, url: sqld.url, file: undefined };
    const database = await openDatabase(place);
    await database.write([
      { sql: "UPDATE run SET about = json_set(about, '$.host', ?) WHERE kind = 'table'", args: [server] },
    ]);
    await database.close();
  }

  it('is shown by the other, which rejects changes and names the server with the table', async () => {
    const path = await upload(runs, 'Elsewhere');
    await name('reading-room');
    const before = await progressOf(other, path);
    const files = async () => {
      const form = new FormData();
      form.append('form_token', await tokenOf(other));
      form.append('files', new File(['text'], 'a.txt'));
      return other.fetch(`${path}/files`, { method: 'POST', headers: html, body: form });
    };
    for (const refuse of [() => press(other, path, 'start'), () => press(other, path, 'check'), files]) {
      const refused = await refuse();
      expect({ status: refused.status, text: await refused.text() }).toEqual({
        status: 409,
        text: expect.stringContaining('on the server reading-room'),
      });
    }
    // A refusal changes nothing of what the server with the table shows.
    expect(await progressOf(runs, path)).toEqual(before);
    const shown = await open(other, path);
    expect(shown).toContain('is on the server <bdi>reading-room</bdi>');
    expect(shown).not.toContain('Start the import');
    expect((await press(runs, path, 'start')).status).toBe(303);
    await until(async () => (await progressOf(other, path)).nodes > 0, { seconds: 30 });
    expect(await open(other, path)).toContain('<bdi> reading-room</bdi> continues');
    expectGrowth(await follow(other, path));
    expect(await open(other, path)).toContain('The table of results is on the server <bdi>reading-room</bdi>');
    const results = await other.fetch(`${path}/result.csv`);
    expect({ status: results.status, text: await results.text() }).toEqual({
      status: 404,
      text: expect.stringContaining('reading-room'),
    });
    expect((await runs.fetch(`${path}/result.csv`)).status).toBe(200);
  }, 120_000);

  it('is rejected by the other without a name if the server of the table is unknown', async () => {
    const path = await upload(runs, 'Unknown');
    await name(null);
    const refused = await press(other, path, 'start');
    expect({ status: refused.status, text: await refused.text() }).toEqual({
      status: 409,
      text: expect.stringContaining('or is on another server'),
    });
    expect(await open(other, path)).toContain('is on another server of this repository, or was removed');
  }, 60_000);
});
