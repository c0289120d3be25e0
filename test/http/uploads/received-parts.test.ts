import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { PART_BYTES, storeOfParts } from '../../../src/repository/uploads/receive-parts.ts';
import { storageFull } from '../../../src/storage/errors.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { settledFiles } from '../../support/binaries.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { append, beginUpload, offsetOf } from '../../support/tus.ts';

/** Three parts, the last of one byte. */
const LENGTH = 2 * PART_BYTES + 1;

let repository: TestRepository;
let storage: Storage;
let put: Storage['put'];
beforeAll(async () => {
  repository = await createTestRepository();
  storage = storeOfParts(repository.running.services).storage;
  put = storage.put;
});
afterEach(() => {
  storage.put = put;
});
afterAll(() => repository.stop());

/** Replaces the flush of the first part. */
function atFirstPart(flush: (nextBegins: Promise<void>) => Promise<void>): void {
  const next = Promise.withResolvers<void>();
  let puts = 0;
  storage.put = async (...given) => {
    puts += 1;
    if (puts > 1) next.resolve();
    const isFirst = puts === 1;
    const staged = await put(...given);
    if (!isFirst) return staged;
    try {
      await flush(next.promise);
    } catch (error) {
      await staged.discard();
      throw error;
    }
    return staged;
  };
}

async function send(name: string): Promise<{ status: number; offset: number | undefined }> {
  const path = await beginUpload(repository, name, LENGTH);
  const { status } = await append(repository, path, 0, new Uint8Array(LENGTH));
  return { status, offset: await offsetOf(repository, path) };
}

describe('the parts of one request', () => {
  it('are received while the previous one is flushed', async () => {
    atFirstPart((nextBegins) => nextBegins);
    expect(await send('overlapping.tif')).toEqual({ status: 204, offset: LENGTH });
  });

  it('leave no row and no bytes if the previous one is not stored', async () => {
    const before = await settledFiles(repository);
    atFirstPart(async (nextBegins) => {
      await nextBegins;
      throw storageFull(new Error('no space'));
    });
    expect(await send('full.tif')).toEqual({ status: 507, offset: 0 });
    expect(await settledFiles(repository)).toEqual(before);
  });

  it('leave no bytes if another request has sent them', async () => {
    const before = await settledFiles(repository);
    const path = await beginUpload(repository, 'race.tif', LENGTH);
    const both = await Promise.all([1, 2].map(() => append(repository, path, 0, new Uint8Array(LENGTH))));
    expect(both.map(({ status }) => status).toSorted()).toEqual([204, 409]);
    expect(await offsetOf(repository, path)).toBe(LENGTH);
    expect((await settledFiles(repository)).length - before.length).toBe(3);
  });
});
