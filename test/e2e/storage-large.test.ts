import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noteStreamed } from '../../src/base/release-memory.ts';
import { newKey } from '../../src/storage/key.ts';
import { createLocalStorage } from '../../src/storage/local/local.ts';
import { createS3Storage } from '../../src/storage/s3/s3.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { bytesOf } from '../contract/made-bytes.ts';
import { S3_KEYS, startS3Process } from '../support/s3-process.ts';
import { sized } from '../support/size.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
/** No whole number of anything; in full, more than 32 bits count. */
const LENGTH = sized(1, 5) * GIB + 12_345;
const LIMITS = [GIB / 2, GIB, 2 * GIB, 4 * GIB].filter((limit) => limit < LENGTH);
/** Zeros, but for the number of each mebibyte at its start. */
const BLOCK = MIB;
/** The object, the parts that are put together, and what the disk of the machine wants to keep free. */
const ROOM_BYTES = sized(3, 12) * GIB;
const MAX_GROWTH_BYTES = 200 * MIB;

async function* largeFile(): AsyncGenerator<Uint8Array> {
  const block = new Uint8Array(BLOCK);
  for (let at = 0; at < LENGTH; at += BLOCK) {
    new DataView(block.buffer).setFloat64(0, at / BLOCK);
    yield block.subarray(0, Math.min(BLOCK, LENGTH - at));
  }
}

async function hashOf(body: Blob | ReadableStream<Uint8Array>): Promise<{ bytes: number; sha256: string }> {
  const hasher = new Bun.CryptoHasher('sha256');
  let bytes = 0;
  for await (const chunk of body instanceof Blob ? body.stream() : body) {
    hasher.update(chunk);
    bytes += chunk.byteLength;
    // As in a transfer, so that uncollected garbage is not measured.
    noteStreamed(chunk.byteLength);
  }
  return { bytes, sha256: hasher.digest('hex') };
}

/** The largest resident memory of this process while work goes on. */
async function growthDuring(work: () => Promise<void>): Promise<number> {
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 50);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return peak - before;
}

async function expectLarge(storage: Storage): Promise<void> {
  const growth = await growthDuring(async () => {
    const staged = await storage.put(newKey(), largeFile());
    await staged.keep();
    expect(staged.bytes).toBe(LENGTH);
    expect(await storage.stat(staged.key)).toEqual({ bytes: LENGTH });
    expect(await hashOf(await storage.read(staged.key))).toEqual({ bytes: LENGTH, sha256: staged.sha256 });
    for (const first of [...LIMITS.flatMap((limit) => [limit - 1, limit]), LENGTH - 9]) {
      const part = await bytesOf(await storage.read(staged.key, { first, last: first + 8 }));
      const expected = new Uint8Array(9 + BLOCK);
      new DataView(expected.buffer).setFloat64(
        BLOCK - (first % BLOCK === 0 ? BLOCK : first % BLOCK),
        Math.ceil(first / BLOCK),
      );
      expect(part).toEqual(expected.slice(0, 9));
    }
    await storage.remove(staged.key);
    expect(await Array.fromAsync(storage.list())).toEqual([]);
  });
  expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
}

describe(`${sized(1, 5)} GiB`, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'repo-large-'));
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < ROOM_BYTES) throw new Error(`this test needs ${ROOM_BYTES / GIB} GiB in ${tmpdir()}`);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('are stored and read in limited memory by a local store', async () => {
    await expectLarge(await createLocalStorage(join(folder, 'store')));
  }, 120_000);

  it('are stored and read in limited memory by S3', async () => {
    const server = await startS3Process('repository');
    try {
      const keys = { ...S3_KEYS, sessionToken: undefined };
      const config = {
        endpoint: server.endpoint,
        region: 'us-east-1',
        bucket: 'repository',
        prefix: '',
        pathStyle: true,
        credentials: { from: 'configuration', keys },
        encryption: undefined,
        storageClass: undefined,
      } as const;
      const options = { stagingFolder: join(folder, 'staging'), readEnv: () => undefined, warn: () => undefined };
      await expectLarge(await createS3Storage(config, options));
    } finally {
      await server.stop();
    }
  }, 240_000);
});
