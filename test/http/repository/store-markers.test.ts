import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { MARKER_FILE } from '../../../src/storage/local/marker.ts';
import { createMedia, pngHead, putToNode } from '../../support/binaries.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let item: EntityJson;
beforeAll(async () => {
  repository = await createTestRepository();
  item = await repository.node();
  await createMedia(repository, { node: item, uri: 'public://there.png', body: pngHead(1, 1) });
});
afterAll(() => repository.stop());

const folderOf = (scheme: string) => join(repository.dataFolder, 'files', scheme);
const markerOf = (scheme: string) => join(folderOf(scheme), MARKER_FILE);
const away = (scheme: string) => `${folderOf(scheme)}-away`;
const put = async (name: string) =>
  (await putToNode(repository, { node: item, uri: `public://${name}`, body: 'x' })).status;
const health = async (query = '') => {
  const response = await repository.get(`/healthcheck${query}`);
  return { status: response.status, text: await response.text() };
};
const run = (sql: string) => repository.running.services.database.client.batch([sql], 'write');
const storeErrors = () => repository.log.filter(({ msg }) => String(msg).startsWith('the store '));

/** Replaces the folder of a store by an empty one, as a disk that is not mounted does. */
async function unmount(scheme: string): Promise<void> {
  await rename(folderOf(scheme), away(scheme));
  await mkdir(folderOf(scheme));
}
async function mount(scheme: string): Promise<void> {
  await rm(folderOf(scheme), { recursive: true });
  await rename(away(scheme), folderOf(scheme));
}

describe('the folder of a storage scheme', () => {
  it('gets a marker at the first start', async () => {
    const ids = await Promise.all(
      ['public', 'private', 'fedora'].map(async (scheme) => JSON.parse(await readFile(markerOf(scheme), 'utf8')).store),
    );
    expect(new Set(ids).size).toBe(3);
    expect(await health('?deep')).toEqual({ status: 200, text: 'OK' });
  });

  it('that is not mounted accepts no file, and the health check names its scheme', async () => {
    await unmount('public');
    expect(await put('a.png')).toBe(500);
    expect((await health()).status).toBe(503);
    const deep = await health('?deep');
    expect(deep.status).toBe(503);
    expect(JSON.parse(deep.text)).toEqual({
      message: 'Stores that are not mounted, cannot be written to, or have lost their marker: public.',
    });
    await mount('public');
    expect(await put('a.png')).toBe(204);
    expect(await health('?deep')).toEqual({ status: 200, text: 'OK' });
  });

  it('that is not mounted is reported at a start, with the way to accept it', async () => {
    const id = JSON.parse(await readFile(markerOf('public'), 'utf8')).store;
    await unmount('public');
    await repository.restart();
    const [error] = storeErrors();
    expect(error).toMatchObject({ level: 'error', scheme: 'public' });
    expect(JSON.stringify(error)).toContain(
      `write the marker: {\\\\\\"store\\\\\\":\\\\\\"${id}`.replaceAll('\\\\\\"', '\\"'),
    );
    expect(existsSync(markerOf('public'))).toBe(false);
    await mount('public');
    expect((await repository.get('/sites/default/files/there.png')).status).toBe(200);
  });

  it('of a repository of an earlier version gets its marker once', async () => {
    await run(`DELETE FROM setting WHERE name LIKE 'storage.marker.%'`);
    for (const scheme of ['public', 'private']) await rm(markerOf(scheme));
    await repository.restart();
    expect(existsSync(markerOf('public'))).toBe(true);
    await rm(markerOf('private'));
    await repository.restart();
    expect(existsSync(markerOf('private'))).toBe(false);
    expect((await health('?deep')).text).toContain(': private.');
    await run(`DELETE FROM setting WHERE name = 'storage.marker.private'`);
  });

  it('gets none while it is empty although files are stored in it', async () => {
    await run(`DELETE FROM setting WHERE name LIKE 'storage.marker.%'`);
    await rm(markerOf('public'));
    await unmount('public');
    await repository.restart();
    expect(existsSync(markerOf('public'))).toBe(false);
    expect(await put('b.png')).toBe(500);
    expect((await health('?deep')).text).toContain(': public.');
    await mount('public');
    await repository.restart();
    expect(existsSync(markerOf('public'))).toBe(true);
    expect(await put('b.png')).toBe(204);
  });
});

describe('a local database whose files are removed while a server uses it', () => {
  let local: TestRepository;
  let node: EntityJson;
  beforeAll(async () => {
    local = await createTestRepository({ database: DEFAULT_SERVER_CONFIG.database });
    node = await local.node();
  });
  afterAll(() => local.stop());

  it.each(['', '-wal'])('accepts no write without its file%s, and continues when it is back', async (suffix) => {
    const file = join(local.dataFolder, `repository.db${suffix}`);
    const create = async () => {
      const response = await local.post(
        '/node?_format=json',
        { type: 'islandora_object', title: [{ value: 'x' }], field_model: node.field_model },
        'admin',
      );
      return { status: response.status, retryAfter: response.headers.get('Retry-After') };
    };
    expect((await create()).status).toBe(201);
    await rename(file, `${file}.away`);
    expect(await create()).toEqual({ status: 503, retryAfter: '60' });
    expect((await local.get('/healthcheck?deep')).status).toBe(503);
    expect((await local.get(`/node/${node.nid[0].value}?_format=json`)).status).toBe(200);
    await rename(`${file}.away`, file);
    expect((await create()).status).toBe(201);
    expect((await local.get('/healthcheck')).status).toBe(200);
  });
});
