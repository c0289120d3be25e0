import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { audit, auditServices } from '../support/audit.ts';
import { settledFiles } from '../support/binaries.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { createS3Repository, openTestBucket, type TestBucket } from '../support/s3-site.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { CAN_MOUNT, mountSmallDisk } from '../support/small-disk.ts';
import { copyFirstStart, createTestRepository, IS_ON_SQLD, type TestRepository } from '../support/test-repository.ts';
import { append, attach, attached, begin, beginUpload, offsetOf } from '../support/tus.ts';
import { unfinishedUploads } from '../support/unfinished-uploads.ts';
import { until } from '../support/until.ts';

const MIB = 1024 * 1024;
const bytesOf = (length: number) => crypto.getRandomValues(new Uint8Array(length));
const NO_ROOM =
  /^The server has no room for this file\. It needs \d+(\.\d)? MB of space until it is saved, and \d+(\.\d)? MB are free\.$/;

describe.if(CAN_MOUNT)('an upload on a disk that fills up', () => {
  it('returns 507, keeps its earlier parts, and continues when there is space', async () => {
    await onSmallDisk(async (repository, folder) => {
      const node = (await repository.node()).nid[0].value;
      const whole = bytesOf(3 * MIB);
      const path = await beginUpload(repository, 'big.tif', whole.byteLength);
      expect((await append(repository, path, 0, whole.slice(0, MIB))).status).toBe(204);
      const filler = join(folder, 'filler');
      await Bun.write(filler, new Uint8Array(6 * MIB));
      const full = await append(repository, path, MIB, whole.slice(MIB));
      expect({ status: full.status, body: await full.json() }).toEqual({
        status: 507,
        body: { message: 'There is no room left for this file.' },
      });
      expect(await offsetOf(repository, path)).toBe(MIB);
      await Bun.write(filler, new Uint8Array(3 * MIB));
      expect((await append(repository, path, MIB, whole.slice(MIB))).status).toBe(204);
      const refused = await attach(repository, path, { node });
      expect({ status: refused.status, body: await refused.json() }).toEqual({
        status: 507,
        body: { message: expect.stringMatching(NO_ROOM) },
      });
      await rm(filler);
      const { sha256 } = await attached(repository, path, { node });
      expect(sha256).toBe(Bun.SHA256.hash(whole, 'hex'));
    });
  }, 20_000);

  it('is rejected before it is sent if the disk cannot hold its parts and its file', async () => {
    await onSmallDisk(async (repository) => {
      const refused = await begin(repository, 'large.tif', 5 * MIB);
      const { message } = (await refused.json()) as { message: string };
      expect({ status: refused.status, message }).toEqual({ status: 507, message: expect.stringMatching(NO_ROOM) });
      expect(message).toContain('It needs 10.5 MB of space');
      const { rows } = await repository.running.services.database.client.execute('SELECT id FROM upload');
      expect(rows).toEqual([]);
      expect((await begin(repository, 'small.tif', 3 * MIB)).status).toBe(201);
    });
  }, 20_000);
});

/** Runs with a disk of 8 MiB in the place of the store. */
async function onSmallDisk(use: (repository: TestRepository, folder: string) => Promise<void>): Promise<void> {
  const repository = await createTestRepository();
  const folder = join(repository.dataFolder, 'files/fedora');
  await repository.running.stop(1);
  const disk = mountSmallDisk(folder, '8m');
  try {
    await repository.restart();
    await use(repository, folder);
    await settledFiles(repository);
    expect(await auditServices(repository.running.services, true)).toEqual([]);
  } finally {
    await repository.running.stop(1);
    disk.unmount();
    await repository.stop();
  }
}

describe.if(!IS_ON_SQLD)('two processes', () => {
  let folder: string;
  let servers: ServerProcess[];
  beforeAll(async () => {
    folder = await emptyFolder();
    await copyFirstStart(folder);
    servers = await Promise.all([
      startServer({ from: 'source', data: folder }),
      startServer({ from: 'source', data: folder }),
    ]);
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    expect(await audit(folder, true)).toEqual([]);
    await rm(folder, { recursive: true });
  });

  it('share the parts of an upload, also after a kill of one', async () => {
    const [one, two] = servers as [ServerProcess, ServerProcess];
    const whole = bytesOf(300_000);
    const path = await beginUpload(one, 'shared.tif', whole.byteLength);
    for (const [server, from, to] of [
      [one, 0, 100_000],
      [two, 100_000, 200_000],
    ] as const) {
      expect(await offsetOf(server, path)).toBe(from);
      expect((await append(server, path, from, whole.slice(from, to))).status).toBe(204);
    }
    // Its unfinished bytes are lost, and the parts of before are not.
    const sending = append(one, path, 200_000, slowly(whole.slice(200_000))).catch(() => undefined);
    await until(async () => (await unfinishedUploads(folder)).length > 0);
    await one.kill();
    await sending;
    servers = [two, await startServer({ from: 'source', data: folder })];
    expect(await offsetOf(two, path)).toBe(200_000);
    expect((await append(servers[1] as ServerProcess, path, 200_000, whole.slice(200_000))).status).toBe(204);
    const [collection] = await Promise.all([
      two.fetch('/term_from_uri?_format=json&uri=http://purl.org/dc/dcmitype/Collection'),
    ]);
    const [term] = (await collection.json()) as { tid: { value: number }[] }[];
    const node = await two.fetch('/node?_format=json', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        type: [{ target_id: 'islandora_object' }],
        title: [{ value: 'A collection' }],
        field_model: [{ target_id: term?.tid[0]?.value }],
      }),
    });
    const id = ((await node.json()) as { nid: { value: number }[] }).nid[0]?.value;
    const both = await Promise.all(servers.map((server) => attached(server, path, { member_of: id })));
    expect(both[0]?.sha256).toBe(Bun.SHA256.hash(whole, 'hex'));
    const [first, second] = both.map(({ node: item, media }) => ({ item: item.id, media: media.id }));
    expect(second).toEqual(first);
    await until(async () => (await two.fetch('/healthcheck')).ok);
  }, 20_000);
});

/** A body whose last byte never comes. */
function slowly(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(bytes.slice(0, -1));
      return new Promise(() => {});
    },
  });
}

describe('a bucket', () => {
  let bucket: TestBucket;
  let repository: TestRepository;
  beforeAll(async () => {
    bucket = await openTestBucket();
    repository = await createS3Repository(bucket.config, { name: 'fedora' });
  });
  afterAll(async () => {
    await repository.stop();
    await bucket.close();
  });

  it('holds the parts of an upload, and in the end only the file', async () => {
    const node = (await repository.node()).nid[0].value;
    const whole = bytesOf(7 * MIB);
    const path = await beginUpload(repository, 'scan.tif', whole.byteLength);
    for (const [from, to] of [
      [0, 6 * MIB],
      [6 * MIB, 7 * MIB],
    ] as const)
      expect((await append(repository, path, from, whole.slice(from, to))).status).toBe(204);
    expect(await bucket.holdings()).toHaveLength(2);
    const answer = await attached(repository, path, { node });
    expect(answer.sha256).toBe(Bun.SHA256.hash(whole, 'hex'));
    await settledFiles(repository);
    expect(await bucket.holdings()).toHaveLength(1);
    expect(await auditServices(repository.running.services, true)).toEqual([]);
  }, 20_000);
});
