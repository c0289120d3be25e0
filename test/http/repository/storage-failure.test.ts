import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { chmod, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newKey } from '../../../src/storage/key.ts';
import { createLocalStorage } from '../../../src/storage/local/local.ts';
import {
  countRows,
  createMedia,
  fileOf,
  pngHead,
  putToNode,
  readJson,
  settledFiles,
  stock,
  storedFiles,
  uploadResponse,
} from '../../support/binaries.ts';
import { CAN_MOUNT, mountSmallDisk, type SmallDisk } from '../../support/small-disk.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const MIB = 1024 * 1024;

let repository: TestRepository;
let node: EntityJson;
beforeAll(async () => {
  repository = await createTestRepository();
  node = await repository.node();
});
afterAll(() => repository.stop());

/** Runs with a small file system in the place of the public store. */
async function withSmallDisk(check: (disk: SmallDisk) => Promise<void>): Promise<void> {
  const small = await createTestRepository();
  const folder = join(small.dataFolder, 'files/public');
  await small.running.stop(1);
  const disk = mountSmallDisk(folder, '4m');
  const former = repository;
  try {
    await small.restart();
    repository = small;
    await check(disk);
  } finally {
    repository = former;
    await small.running.stop(1);
    disk.unmount();
    await small.stop();
  }
}

describe.if(CAN_MOUNT)('a full disk', () => {
  it('returns 507, stores nothing, and works again when there is space', async () => {
    await withSmallDisk(async () => {
      const item = await repository.node();
      const before = await stock(repository);
      const put = (bytes: number) =>
        putToNode(repository, { node: item, uri: 'public://big.png', body: Buffer.alloc(bytes, 1) });
      const response = await put(6 * MIB);
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 507,
        body: { message: 'There is no room left for this file.' },
      });
      expect(await stock(repository)).toEqual(before);
      expect((await put(2 * MIB)).status).toBe(201);

      const filled = await stock(repository);
      expect((await put(3 * MIB)).status).toBe(507);
      expect(await stock(repository)).toEqual(filled);
      const bytes = await (await repository.get('/sites/default/files/big.png')).arrayBuffer();
      expect(bytes.byteLength).toBe(2 * MIB);
      expect((await put(MIB)).status).toBe(204);
    });
  }, 20_000);
});

describe.if(CAN_MOUNT)('a store that cannot be written to', () => {
  it('returns 500 without a path, fails the health check, and still reads', async () => {
    await withSmallDisk(async (disk) => {
      const item = await repository.node();
      const media = await createMedia(repository, { node: item, uri: 'public://there.png', body: pngHead(1, 1) });
      expect((await repository.get('/healthcheck')).status).toBe(200);
      disk.protect(true);
      const before = await stock(repository);
      const response = await putToNode(repository, { node: item, uri: undefined, body: 'x' });
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 500,
        body: { message: 'The file could not be stored.' },
      });
      expect(await stock(repository)).toEqual(before);
      expect(repository.failures().at(-1)).toMatchObject({ status: 500 });
      const health = await repository.get('/healthcheck');
      expect({ status: health.status, body: await health.json() }).toEqual({
        status: 503,
        body: { message: 'The database or the file store is temporarily unavailable.' },
      });
      expect((await repository.get('/sites/default/files/there.png')).status).toBe(200);
      // The row goes; its bytes are cleared up when that is possible again.
      const fid = media.field_media_image[0].target_id;
      expect((await repository.delete(`/entity/file/${fid}?_format=json`, 'admin')).status).toBe(204);
      expect((await repository.get('/sites/default/files/there.png')).status).toBe(404);
      await until(() => repository.log.some(({ msg }) => msg.startsWith('cannot remove the discarded object')));
      expect(await countRows(repository, 'discarded_object')).toBe(1);
      disk.protect(false);
      await repository.restart();
      expect(await countRows(repository, 'discarded_object')).toBe(0);
      expect((await repository.get('/healthcheck')).status).toBe(200);
    });
  }, 20_000);
});

describe('a store whose upload folder is a file', () => {
  it('returns 500 without a path and fails the health check', async () => {
    const incoming = join(repository.dataFolder, 'files/public/incoming');
    await rm(incoming, { recursive: true });
    await writeFile(incoming, '');
    const item = await repository.node();
    const response = await putToNode(repository, { node: item, uri: 'public://x.png', body: 'x' });
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 500,
      body: { message: 'The file could not be stored.' },
    });
    expect((await repository.get('/healthcheck')).status).toBe(503);
    expect((await uploadResponse(repository, 'x', { 'Content-Disposition': 'file; filename="x.png"' })).status).toBe(
      201,
    );
    await rm(incoming);
    expect((await putToNode(repository, { node: item, uri: 'public://x.png', body: 'x' })).status).toBe(201);
    expect((await repository.get('/healthcheck')).status).toBe(200);
  });
});

describe('a damaged object', () => {
  it.each([
    ['removed', (path: string) => rm(path)],
    ['cut short', (path: string) => truncate(path, 3)],
    ['grown', (path: string) => writeFile(path, 'x'.repeat(500))],
  ])('that was %s returns 500, is logged, and can be replaced and deleted', async (name, damage) => {
    const item = await repository.node();
    const before = await settledFiles(repository);
    const media = await createMedia(repository, { node: item, uri: `private://${name}.png`, body: pngHead(9, 9) });
    const [object] = (await storedFiles(repository)).filter((path) => !before.includes(path)) as [string];
    await damage(object);
    const { url } = (await fileOf(repository, media)).uri[0];
    const failures = repository.failures().length;
    for (const headers of [{}, { Range: 'bytes=0-1' }]) {
      const response = await repository.get(url, 'admin', headers as Record<string, string>);
      const text = await response.text();
      expect({ status: response.status, text }).toEqual({
        status: 500,
        text: '{"message":"The content of this file is temporarily unavailable."}',
      });
      expect(response.headers.get('etag')).toBeNull();
    }
    expect((await repository.fetch(url, { method: 'HEAD', as: 'admin' })).status).toBe(500);
    expect(repository.failures().length).toBe(failures + 3);
    expect(JSON.stringify(repository.failures().at(-1))).toContain(`private://${name}.png`);
    expect((await putToNode(repository, { node: item, uri: undefined, body: 'whole' })).status).toBe(204);
    expect(await (await repository.get(url, 'admin')).text()).toBe('whole');
    const fid = media.field_media_image[0].target_id;
    expect((await repository.delete(`/entity/file/${fid}?_format=json`, 'admin')).status).toBe(204);
    expect(await settledFiles(repository)).toEqual(before);
  });

  it('causes 500 if a text must be copied from it', async () => {
    const before = await settledFiles(repository);
    const options = { 'Content-Disposition': 'file; filename="gone.txt"' };
    const upload = await uploadResponse(repository, 'text', options, {
      type: 'extracted_text',
      field: 'field_media_file',
    });
    const file = (await upload.json()) as EntityJson;
    const [object] = (await storedFiles(repository)).filter((path) => !before.includes(path)) as [string];
    await rm(object);
    const body = { bundle: 'extracted_text', field_media_file: [{ target_id: file.fid[0].value }] };
    const response = await repository.post('/media?_format=json', body, 'admin');
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 500,
      body: { message: 'The file could not be read.' },
    });
  });
});

describe('files of an ended process', () => {
  it('are removed at the next start if staged or discarded', async () => {
    const item = await repository.node();
    const media = await createMedia(repository, { node: item, uri: 'public://stays.png', body: pngHead(4, 4) });
    await settledFiles(repository);
    await repository.running.stop(1);
    const folder = join(repository.dataFolder, 'files/public');
    const before = await Array.fromAsync((await createLocalStorage(folder)).list());

    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, '../../support/storage-child.ts'), folder, 'staged', newKey()],
      {
        stdout: 'pipe',
      },
    );
    for await (const chunk of child.stdout) if (chunk.length > 0) break;
    child.kill('SIGKILL');
    await child.exited;
    const storage = await createLocalStorage(folder);
    expect(await Array.fromAsync(storage.list())).toHaveLength(before.length + 1);

    await repository.restart();
    const discarded = newKey();
    const object = await storage.put(discarded, new Blob(['no longer named']).stream());
    await object.keep();
    await repository.running.services.database.write([
      { sql: "INSERT INTO discarded_object (storage_key, scheme) VALUES (?, 'public')", args: [discarded] },
    ]);
    await repository.restart();
    expect((await Array.fromAsync(storage.list())).sort()).toEqual(before.sort());
    expect(await countRows(repository, 'discarded_object')).toBe(0);
    expect(repository.log.some((line) => line.msg === 'removed unfinished uploads of an earlier run')).toBe(true);
    expect((await readJson(repository, `/media/${media.mid[0].value}`)).field_width).toEqual([{ value: 4 }]);
    expect((await repository.get('/sites/default/files/stays.png')).status).toBe(200);
  });

  it('are removed after a replacement even if the process stops early', async () => {
    const item = await repository.node();
    await createMedia(repository, { node: item, uri: 'public://soon.png', body: 'old' });
    const before = (await settledFiles(repository)).length;
    expect((await putToNode(repository, { node: item, uri: undefined, body: 'new' })).status).toBe(204);
    await repository.restart();
    expect(await countRows(repository, 'discarded_object')).toBe(0);
    expect((await storedFiles(repository)).length).toBe(before);
    expect(await (await repository.get('/sites/default/files/soon.png')).text()).toBe('new');
  });
});

describe('the folders of the store', () => {
  // Rights do not bind root, for whom a protected disk stands in above.
  if (!CAN_MOUNT)
    it('cause 500 if they are read-only', async () => {
      const folder = join(repository.dataFolder, 'files/public');
      await chmod(folder, 0o500);
      const response = await putToNode(repository, {
        node: await repository.node(),
        uri: 'public://ro.png',
        body: 'x',
      });
      await chmod(folder, 0o750);
      expect(response.status).toBe(500);
    });

  it('have files for their owner and group only', async () => {
    for (const path of await storedFiles(repository)) expect((await Bun.file(path).stat()).mode & 0o777).toBe(0o640);
    expect(node.nid[0].value).toBeGreaterThan(0);
  });
});
