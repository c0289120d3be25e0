import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { newKey } from '../../src/storage/key.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { serviceError } from '../support/service-error.ts';
import { bytesOf, madeBytes, sha256, streamOf } from './made-bytes.ts';

/** A store that a suite may do anything with. */
export interface OpenedStore {
  storage: Storage;
  /** The same store as a process opens it after the one that had `storage` was killed. */
  reopenAfterCrash(): Promise<Storage>;
  /** Lists all finished and unfinished objects of the store. */
  holdings(): Promise<string[]>;
  /** True if a reader of an object gets the rest of it after it is removed. */
  readsWhatIsRemoved: boolean;
  close(): Promise<void>;
}

const MIB = 1024 * 1024;
/** The maximum difference between the clock of a store and ours, in milliseconds. */
const CLOCK_MS = 5_000;
/** Around what an S3 driver sends in one piece. */
const EDGES = [4 * MIB, 5 * MIB - 1, 5 * MIB, 5 * MIB + 1, 16 * MIB + 1];

/** No key contains input of users; the driver rejects all of these. */
const NO_KEYS = [
  '',
  '..',
  '../../etc/passwd',
  '3f/../../x',
  'incoming/x',
  '/etc/passwd',
  '3f',
  'ab/cd\0',
  'a file with blanks',
  'Übersicht/文書.tif',
  '100%25/%2e%2e/x',
  'a+b/c+d',
  'x'.repeat(900),
  `${newKey()} `,
  `${newKey()}?versionId=1`,
  newKey().toUpperCase().replace(/^../, 'ZZ'),
];

/** The tests of every store, which is opened again for each test. */
export function describeStorage(name: string, open: () => Promise<OpenedStore>): void {
  describe(name, () => {
    let store: OpenedStore;
    let storage: Storage;
    beforeEach(async () => {
      store = await open();
      storage = store.storage;
    });
    afterEach(() => store.close());

    const streamFrom = async (key: string) => {
      const body = await storage.read(key);
      return body instanceof Blob ? body.stream() : body;
    };
    const putWhole = async (bytes: Uint8Array, key = newKey()) => {
      const staged = await storage.put(key, streamOf(bytes));
      await staged.keep();
      return key;
    };
    const listed = async () => (await Array.fromAsync(storage.list())).map(({ key }) => key).toSorted();

    it.each([0, 1, 65_536, MIB - 1, MIB, MIB + 1, ...EDGES, 50_000_000])(
      'stores %d bytes unchanged',
      async (length) => {
        const bytes = madeBytes(length);
        const key = newKey();
        const staged = await storage.put(key, streamOf(bytes));
        expect(staged).toMatchObject({ key, bytes: length, sha256: sha256(bytes) });
        await staged.keep();
        expect(await storage.stat(key)).toEqual({ bytes: length });
        const read = await bytesOf(await storage.read(key));
        expect(read.byteLength).toBe(length);
        expect(sha256(read)).toBe(sha256(bytes));
        expect(await store.holdings()).toEqual([key]);
      },
    );

    it.each([1, 7, 100_000, 3_000_000])('stores the same bytes in chunks of %d bytes', async (chunkBytes) => {
      const bytes = madeBytes(Math.min(chunkBytes * 5000, 4_000_001));
      const staged = await storage.put(newKey(), streamOf(bytes, chunkBytes));
      expect(staged.sha256).toBe(sha256(bytes));
      expect(sha256(await bytesOf(await storage.read(staged.key)))).toBe(sha256(bytes));
    });

    it('accepts a source that reuses one buffer for all chunks', async () => {
      const buffer = new Uint8Array(1000);
      const source = (async function* () {
        for (let i = 0; i < 600; i++) yield buffer.fill(i);
      })();
      const staged = await storage.put(newKey(), source);
      const read = await bytesOf(await storage.read(staged.key));
      expect(Array.from({ length: 600 }, (_, i) => read[i * 1000 + 999])).toEqual(
        Array.from({ length: 600 }, (_, i) => i % 256),
      );
    });

    it('reads a staged object before it is kept', async () => {
      const staged = await storage.put(newKey(), streamOf(madeBytes(10)));
      expect(await bytesOf(await storage.read(staged.key))).toEqual(madeBytes(10));
      expect(await storage.stat(staged.key)).toEqual({ bytes: 10 });
    });

    it.each([
      ['the first byte', 0, 0],
      ['bytes in the middle', 70_000, 140_000],
      ['the last byte', 199_999, 199_999],
      ['all bytes', 0, 199_999],
    ])('reads a range: %s', async (_, first, last) => {
      const bytes = madeBytes(200_000);
      const key = await putWhole(bytes);
      expect(await bytesOf(await storage.read(key, { first, last }))).toEqual(bytes.subarray(first, last + 1));
    });

    it.each([
      ['that starts beyond the end', 10, 10],
      ['that ends beyond the end', 5, 10],
      ['that ends before it starts', 5, 4],
      ['that starts before the first byte', -1, 4],
      ['that is not a number', Number.NaN, 4],
    ])('rejects a range %s', async (_, first, last) => {
      const key = await putWhole(madeBytes(10));
      await expect(storage.read(key, { first, last })).rejects.toThrow(serviceError('storage-failed', /read/));
    });

    it.each([
      ['all bytes', undefined],
      ['a range', { first: 1, last: 2 }],
    ])('reads %s of an object of the expected size, and rejects another size', async (_, range) => {
      const all = madeBytes(10);
      const key = await putWhole(all);
      const read = async (bytes: number) => bytesOf(await storage.read(key, range, bytes));
      expect(await read(10)).toEqual(range ? all.subarray(range.first, range.last + 1) : all);
      for (const bytes of [9, 11]) await expect(read(bytes)).rejects.toThrow(serviceError('storage-failed', /read/));
    });

    it('rejects a read of a missing object', async () => {
      expect(await storage.stat(newKey())).toBeUndefined();
      await expect(storage.read(newKey())).rejects.toThrow(
        serviceError('storage-failed', /^The file could not be read/),
      );
      await storage.remove(newKey());
    });

    it.each(NO_KEYS)('rejects the invalid key %p', async (key) => {
      const refused = serviceError('storage-failed', /^The file could not be found in the store\.$/);
      await expect(storage.put(key, streamOf(madeBytes(1)))).rejects.toThrow(refused);
      await expect(storage.read(key)).rejects.toThrow(refused);
      await expect(storage.stat(key)).rejects.toThrow(refused);
      await expect(storage.remove(key)).rejects.toThrow(refused);
    });

    it('never overwrites an object', async () => {
      const key = await putWhole(madeBytes(10));
      await expect(storage.put(key, streamOf(madeBytes(20)))).rejects.toThrow(serviceError('storage-failed', /stored/));
      expect(await bytesOf(await storage.read(key))).toEqual(madeBytes(10));
      expect(await store.holdings()).toEqual([key]);
    });

    it('lists every object with its size and time', async () => {
      const begun = Date.now() - CLOCK_MS;
      const keys = await Promise.all(Array.from({ length: 40 }, (_, i) => putWhole(madeBytes(i))));
      expect(await listed()).toEqual(keys.toSorted());
      expect(await store.holdings()).toEqual(keys.toSorted());
      for await (const { key, bytes, modified } of storage.list()) {
        expect(bytes).toBe(keys.indexOf(key));
        expect(modified.getTime()).toBeGreaterThan(begun);
        expect(modified.getTime()).toBeLessThan(Date.now() + CLOCK_MS);
      }
    });

    it('stores the objects of many concurrent writers correctly', async () => {
      const sizes = Array.from({ length: 32 }, (_, i) => 300_000 + i);
      const staged = await Promise.all(sizes.map((size, i) => storage.put(newKey(), streamOf(madeBytes(size, i)))));
      for (const [i, object] of staged.entries()) {
        const expected = sha256(madeBytes(sizes[i] as number, i));
        expect(object.sha256).toBe(expected);
        expect(sha256(await bytesOf(await storage.read(object.key)))).toBe(expected);
      }
    });

    it('removes an object during a read, which returns all bytes or fails', async () => {
      const bytes = madeBytes(20_000_000);
      const key = await putWhole(bytes);
      const reader = (await streamFrom(key)).getReader();
      const hasher = new Bun.CryptoHasher('sha256');
      const first = await reader.read();
      hasher.update(first.value as Uint8Array);
      await putWhole(madeBytes(100));
      await storage.remove(key);
      const rest = async () => {
        for (let part = await reader.read(); !part.done; part = await reader.read()) hasher.update(part.value);
        return hasher.digest('hex');
      };
      const outcome = await rest().catch((error: Error) => error);
      if (store.readsWhatIsRemoved || !(outcome instanceof Error)) expect(outcome).toBe(sha256(bytes));
      else expect(outcome).toEqual(serviceError('storage-failed', /read/));
      expect(await storage.stat(key)).toBeUndefined();
      expect(await listed()).toHaveLength(1);
    });

    it('serves a read after another reader cancels', async () => {
      const key = await putWhole(madeBytes(20_000_000));
      const reader = (await streamFrom(key)).getReader();
      await reader.read();
      await reader.cancel(new Error('enough'));
      expect((await bytesOf(await storage.read(key, { first: 3, last: 9 }))).byteLength).toBe(7);
    });

    it('accepts at most one of two concurrent writes of a key', async () => {
      const key = newKey();
      const contents = [madeBytes(300_000, 1), madeBytes(300_000, 2)];
      const puts = await Promise.allSettled(contents.map((bytes) => storage.put(key, streamOf(bytes))));
      const written = puts.flatMap((put, i) => (put.status === 'fulfilled' ? [i] : []));
      expect(written.length).toBeLessThanOrEqual(1);
      for (const i of written) expect(await bytesOf(await storage.read(key))).toEqual(contents[i] as Uint8Array);
      if (written.length === 0) expect(await store.holdings()).toEqual([]);
    });

    it('leaves no object after a check', async () => {
      await Promise.all([storage.check(), storage.check(), storage.check()]);
      expect(await store.holdings()).toEqual([]);
    });
  });
}
