import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../../src/base/log.ts';
import { openLocalDatabase } from '../../../src/database/database.ts';
import { type OpenRepository, openRepository } from '../../../src/modes/open-repository.ts';
import { DEFAULT_REPOSITORY_CONFIG } from '../../../src/modes/repository-config.ts';
import type { User } from '../../../src/repository/users/find-user.ts';
import { createUser, setBlocked, setPassword, setRoles } from '../../../src/repository/users/manage-users.ts';
import { audit } from '../../support/audit.ts';
import { type RepositoryProcess, startRepositoryProcess } from '../../support/repository-process.ts';
import { basic, type EntityJson } from '../../support/test-repository.ts';

/** How long something may be remembered that another process has changed. */
const MAX_STALE_MS = 1_000;
const json = { 'Content-Type': 'application/json' };
const log = createLog({ level: 'fatal', format: 'json', destination: { write: () => undefined } });

let folder: string;
let servers: [RepositoryProcess, RepositoryProcess];
/** What the command line would use beside them. */
let beside: OpenRepository;
let model: number;
let use: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'repo-two-'));
  const starting = [startRepositoryProcess(folder), startRepositoryProcess(folder)] as const;
  servers = [await starting[0].ready, await starting[1].ready];
  beside = await openRepository({ ...DEFAULT_REPOSITORY_CONFIG, dataFolder: folder }, log);
  model = await termId('http://purl.org/coar/resource_type/c_c513');
  use = await termId('http://pcdm.org/use#OriginalFile');
});

afterAll(async () => {
  await discardsAreDone();
  await beside.close();
  for (const server of servers) await server.stop();
  expect(servers.flatMap(({ complaints }) => complaints)).toEqual([]);
  expect(await audit(folder, true)).toEqual([]);
  await rm(folder, { recursive: true });
});

/** Objects that were replaced go a second later, or after a while where someone held the database then. */
async function discardsAreDone(): Promise<void> {
  const { client } = beside.services.database;
  for (let looks = 0; looks < 80; looks++) {
    if ((await client.execute('SELECT 1 FROM discarded_object LIMIT 1')).rows.length === 0) return;
    await Bun.sleep(50);
  }
}

async function termId(uri: string): Promise<number> {
  const response = await servers[0].fetch(`/term_from_uri?_format=json&uri=${encodeURIComponent(uri)}`);
  return ((await response.json()) as EntityJson[])[0]?.tid[0].value;
}

const server = (index: number) => servers[index % 2] as RepositoryProcess;

function createNode(index: number, title = 'A title'): Promise<Response> {
  const body = {
    type: [{ target_id: 'islandora_object' }],
    title: [{ value: title }],
    field_model: [{ target_id: model }],
  };
  return server(index).fetch('/node?_format=json', { method: 'POST', headers: json, body: JSON.stringify(body) });
}

async function nodeId(): Promise<number> {
  return ((await (await createNode(0)).json()) as EntityJson).nid[0].value;
}

function patchNode(index: number, id: number, title: string, headers: Record<string, string> = {}): Promise<Response> {
  const body = JSON.stringify({ type: [{ target_id: 'islandora_object' }], title: [{ value: title }] });
  return server(index).fetch(`/node/${id}?_format=json`, { method: 'PATCH', headers: { ...json, ...headers }, body });
}

function putFile(index: number, node: number, text: string, uri: string): Promise<Response> {
  const headers = { 'Content-Type': 'text/plain', 'Content-Location': uri };
  return server(index).fetch(`/node/${node}/media/file/${use}`, { method: 'PUT', headers, body: text });
}

async function many<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

/** An address without its host, which is that of the process that gave it out. */
const pathOf = (address: string | null | undefined) => new URL(address ?? '', 'http://localhost').pathname;

const statuses = (responses: Response[]) => responses.map(({ status }) => status).sort();

describe('two processes on one data folder', () => {
  it('give out every id once', async () => {
    const made = await many(80, async (index) => (await createNode(index)).headers.get('location'));
    const ids = made.map((location) => location?.split('/').at(-1));
    expect(new Set(ids).size).toBe(80);
  });

  it('show at once what the other has written', async () => {
    const id = await nodeId();
    for (let index = 0; index < 20; index++) {
      await patchNode(index, id, `title ${index}`);
      const read = await server(index + 1).fetch(`/node/${id}?_format=json`);
      expect(((await read.json()) as EntityJson).title).toEqual([{ value: `title ${index}` }]);
    }
    await server(0).fetch(`/node/${id}?_format=json`, { method: 'DELETE' });
    expect((await server(1).fetch(`/node/${id}?_format=json`)).status).toBe(404);
  });

  it('keep every change of those who change the same', async () => {
    const id = await nodeId();
    const responses = await many(8, (index) => patchNode(index, id, `title ${index}`));
    expect(statuses(responses)).toEqual(Array(8).fill(200));
    const revisions = await server(0).fetch(`/node/${id}/revisions?_format=json`);
    expect((await revisions.json()) as EntityJson[]).toHaveLength(9);
  });

  it('let one win of those who insist on the same state', async () => {
    const id = await nodeId();
    const etag = (await server(0).fetch(`/node/${id}?_format=json`)).headers.get('etag') ?? '';
    const responses = await many(8, (index) => patchNode(index, id, `title ${index}`, { 'If-Match': etag }));
    expect(statuses(responses)).toEqual([200, ...Array(7).fill(412)]);
    const winner = responses.findIndex(({ status }) => status === 200);
    const read = await server(0).fetch(`/node/${id}?_format=json`);
    expect(((await read.json()) as EntityJson).title).toEqual([{ value: `title ${winner}` }]);
  });

  it('make one media of files that are put to the same place at once', async () => {
    const id = await nodeId();
    const responses = await many(8, (index) => putFile(index, id, `text ${index}`, 'fedora://race/a.txt'));
    expect(statuses(responses)).toEqual([201, ...Array(7).fill(204)]);
    const list = await server(0).fetch(`/node/${id}/media?_format=json`);
    const media = (await list.json()) as EntityJson[];
    expect(media).toHaveLength(1);
    const { url } = (media[0] as EntityJson).field_media_file[0];
    const texts = await many(2, async (index) => (await server(index).fetch(pathOf(url))).text());
    expect(texts[0]).toMatch(/^text \d$/);
    expect(texts[1]).toBe(texts[0] as string);
  });

  it('give files of one name addresses of their own', async () => {
    const nodes = await many(6, () => nodeId());
    const responses = await many(6, (index) =>
      putFile(index, nodes[index] as number, `text ${index}`, 'public://same/name.txt'),
    );
    expect(statuses(responses)).toEqual(Array(6).fill(201));
    const paths = await many(6, async (index) => {
      const media = await server(index + 1).fetch(`${pathOf(responses[index]?.headers.get('location'))}?_format=json`);
      const { url } = ((await media.json()) as EntityJson).field_media_file[0];
      return pathOf(url);
    });
    expect(new Set(paths).size).toBe(6);
    for (const path of paths) expect(path).toMatch(/^\/sites\/default\/files\/same\/name(_\d+)?\.txt$/);
    const read = await many(6, async (index) => (await server(index).fetch(paths[index] as string)).text());
    expect(read).toEqual(Array.from({ length: 6 }, (_, index) => `text ${index}`));
  });

  it('answer a file whole, the old or the new, while the other replaces it', async () => {
    const id = await nodeId();
    await putFile(0, id, 'first '.repeat(5_000), 'public://swap/a.txt');
    let isDone = false;
    const reading = many(4, async (index) => {
      let count = 0;
      while (!isDone) {
        const response = await server(index).fetch('/sites/default/files/swap/a.txt');
        expect(response.status).toBe(200);
        const bytes = await response.bytes();
        const digest = new Bun.CryptoHasher('sha256').update(bytes).digest('base64');
        expect(response.headers.get('repr-digest')).toBe(`sha-256=:${digest}:`);
        count += 1;
      }
      return count;
    });
    for (let turn = 0; turn < 40; turn++)
      expect((await putFile(turn, id, `turn ${turn} `.repeat(1_000 + turn * 50), 'public://swap/a.txt')).status).toBe(
        204,
      );
    isDone = true;
    for (const count of await reading) expect(count).toBeGreaterThan(5);
  });

  it('take a change of roles, password or access to heart within a second', async () => {
    await createUser(beside.services, { name: 'eva', password: 'old', roles: [] });
    const eva = (await beside.api.findUser.byName('eva')) as User;
    const ask = (password: string) =>
      many(2, async (index) => {
        const headers = { ...json, Authorization: basic('eva', password) };
        return (await server(index).fetch('/node?_format=json', { method: 'POST', headers, body: '{' })).status;
      });
    const soon = async (password: string, status: number) => {
      const deadline = performance.now() + MAX_STALE_MS;
      let found = await ask(password);
      while (found.some((each) => each !== status) && performance.now() < deadline) found = await ask(password);
      expect(found).toEqual([status, status]);
    };
    await soon('old', 403);
    await setRoles(beside.services, eva, ['administrator']);
    await soon('old', 400);
    await setPassword(beside.services, eva, 'new');
    await soon('new', 400);
    await soon('old', 401);
    await setBlocked(beside.services, eva, true);
    await soon('new', 401);
  });

  it('wait for each other, and for others who hold the database', async () => {
    const holder = openLocalDatabase(`${folder}/repository.db`);
    // The servers may still be removing the objects that were replaced before.
    await holder.client.executeMultiple('PRAGMA busy_timeout = 5000');
    await holder.client.executeMultiple('BEGIN IMMEDIATE');
    const writing = many(4, (index) => createNode(index));
    await Bun.sleep(300);
    expect((await server(0).fetch('/taxonomy/term/1?_format=json')).status).toBe(200);
    await holder.client.executeMultiple('ROLLBACK');
    expect(statuses(await writing)).toEqual([201, 201, 201, 201]);
    await holder.client.executeMultiple('BEGIN IMMEDIATE');
    const refused = await createNode(0);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.json()).toEqual({ message: 'The database is in use by another program. Try again later.' });
    await holder.client.executeMultiple('ROLLBACK');
    await holder.close();
    expect((await createNode(0)).status).toBe(201);
    for (const { complaints } of servers) complaints.length = 0;
  }, 15_000);
});
