import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { newKey } from '../../src/storage/key.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { serviceError } from '../support/service-error.ts';

/** A store that a suite may do anything with. */
export interface OpenedStore {
  storage: Storage;
  /** The same store as a process opens it after the one that had `storage` was killed. */
  reopenAfterCrash(): Promise<Storage>;
  /** Everything that the store holds of finished and unfinished objects, whoever wrote it. */
  holdings(): Promise<string[]>;
  close(): Promise<void>;
}

const NOTHING = new Set<string>();
const none = async () => NOTHING;

export const sha256 = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');

/** Bytes that differ everywhere, so that a part that is lost or doubled changes the checksum. */
export function madeBytes(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(length / 4));
  for (let i = 0, x = seed; i < words.length; i++) {
    x = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d) + i;
    words[i] = x;
  }
  return new Uint8Array(words.buffer, 0, length);
}

export async function* streamOf(bytes: Uint8Array, chunkBytes = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

/** The bytes of what `read` answered. */
export async function bytesOf(body: Blob | ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(body).arrayBuffer());
}

/** What every store must do. The store is opened anew for each test. */
export function describeStorage(name: string, open: () => Promise<OpenedStore>): void {
  describe(name, () => {
    let store: OpenedStore;
    let storage: Storage;
    beforeEach(async () => {
      store = await open();
      storage = store.storage;
    });
    afterEach(() => store.close());

    const putWhole = async (bytes: Uint8Array, key = newKey()) => {
      const staged = await storage.put(key, streamOf(bytes));
      await staged.keep();
      return key;
    };
    const listed = async (of = storage) => (await Array.fromAsync(of.list())).toSorted();

    it.each([0, 1, 65_536, 1_048_575, 1_048_576, 1_048_577, 50_000_000])(
      'keeps %d bytes as they came',
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

    it.each([1, 7, 100_000, 3_000_000])('is not confused by chunks of %d bytes', async (chunkBytes) => {
      const bytes = madeBytes(Math.min(chunkBytes * 5000, 4_000_001));
      const staged = await storage.put(newKey(), streamOf(bytes, chunkBytes));
      expect(staged.sha256).toBe(sha256(bytes));
      expect(sha256(await bytesOf(await storage.read(staged.key)))).toBe(sha256(bytes));
    });

    it('takes a source that uses one buffer for all of its chunks', async () => {
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

    it('reads what is staged before it is kept', async () => {
      const staged = await storage.put(newKey(), streamOf(madeBytes(10)));
      expect(await bytesOf(await storage.read(staged.key))).toEqual(madeBytes(10));
      expect(await storage.stat(staged.key)).toEqual({ bytes: 10 });
    });

    it.each([
      ['the first byte', 0, 0],
      ['some in the middle', 70_000, 140_000],
      ['the last byte', 199_999, 199_999],
      ['all of them', 0, 199_999],
    ])('reads a range: %s', async (_, first, last) => {
      const bytes = madeBytes(200_000);
      const key = await putWhole(bytes);
      expect(await bytesOf(await storage.read(key, { first, last }))).toEqual(bytes.subarray(first, last + 1));
    });

    it.each([
      ['behind the end', 10, 10],
      ['beyond the end', 5, 10],
      ['backwards', 5, 4],
      ['before the start', -1, 4],
      ['of no number', Number.NaN, 4],
    ])('refuses a range %s', async (_, first, last) => {
      const key = await putWhole(madeBytes(10));
      await expect(storage.read(key, { first, last })).rejects.toThrow(serviceError('storage-failed', /read/));
    });

    it('fails for an object that is not there', async () => {
      expect(await storage.stat(newKey())).toBeUndefined();
      await expect(storage.read(newKey())).rejects.toThrow(
        serviceError('storage-failed', /^The file could not be read/),
      );
      await storage.remove(newKey());
    });

    it.each(['', '..', '../../etc/passwd', '3f/../../x', 'incoming/x', '/etc/passwd', '3f', 'ab/cd\0'])(
      'touches nothing for %p, which is no key',
      async (key) => {
        const refused = serviceError('storage-failed', /^The file could not be found in the store\.$/);
        await expect(storage.put(key, streamOf(madeBytes(1)))).rejects.toThrow(refused);
        await expect(storage.read(key)).rejects.toThrow(refused);
        await expect(storage.stat(key)).rejects.toThrow(refused);
        await expect(storage.remove(key)).rejects.toThrow(refused);
      },
    );

    it('never writes over an object', async () => {
      const key = await putWhole(madeBytes(10));
      await expect(storage.put(key, streamOf(madeBytes(20)))).rejects.toThrow(serviceError('storage-failed', /stored/));
      expect(await bytesOf(await storage.read(key))).toEqual(madeBytes(10));
      expect(await store.holdings()).toEqual([key]);
    });

    it('lists every object', async () => {
      const keys = await Promise.all(Array.from({ length: 40 }, (_, i) => putWhole(madeBytes(i))));
      expect(await listed()).toEqual(keys.toSorted());
      expect(await store.holdings()).toEqual(keys.toSorted());
    });

    it('keeps many writers apart', async () => {
      const sizes = Array.from({ length: 30 }, (_, i) => 300_000 + i);
      const staged = await Promise.all(sizes.map((size, i) => storage.put(newKey(), streamOf(madeBytes(size, i)))));
      for (const [i, object] of staged.entries()) {
        const expected = sha256(madeBytes(sizes[i] as number, i));
        expect(object.sha256).toBe(expected);
        expect(sha256(await bytesOf(await storage.read(object.key)))).toBe(expected);
      }
    });

    it('removes an object, and what is being read of it is still read to its end', async () => {
      const bytes = madeBytes(5_000_000);
      const key = await putWhole(bytes);
      const body = await storage.read(key);
      const reader = (body instanceof Blob ? body.stream() : body).getReader();
      const hasher = new Bun.CryptoHasher('sha256');
      const first = await reader.read();
      hasher.update(first.value as Uint8Array);
      await storage.remove(key);
      for (let part = await reader.read(); !part.done; part = await reader.read()) hasher.update(part.value);
      expect(hasher.digest('hex')).toBe(sha256(bytes));
      expect(await storage.stat(key)).toBeUndefined();
      expect(await store.holdings()).toEqual([]);
    });

    it('leaves nothing of an object that is discarded', async () => {
      const staged = await storage.put(newKey(), streamOf(madeBytes(100_000)));
      await staged.discard();
      await staged.discard();
      expect(await store.holdings()).toEqual([]);
      await expect(staged.keep()).rejects.toThrow(serviceError('storage-failed', /stored/));
    });

    it('does not discard what was kept', async () => {
      const staged = await storage.put(newKey(), streamOf(madeBytes(100)));
      await staged.keep();
      await staged.keep();
      await staged.discard();
      expect(await storage.stat(staged.key)).toEqual({ bytes: 100 });
    });

    it.each([0, 1, 100, 1_000_000])('leaves nothing of a stream that fails after %d bytes', async (length) => {
      const lost = Object.assign(new Error('connection lost'), { code: 'ENOSPC' });
      const source = (async function* () {
        yield* streamOf(madeBytes(length));
        throw lost;
      })();
      expect(await storage.put(newKey(), source).catch((error: unknown) => error)).toBe(lost);
      expect(await store.holdings()).toEqual([]);
    });

    it('stops waiting for a source that says nothing when it is aborted', async () => {
      const abort = new AbortController();
      const source = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(madeBytes(1_000_000)),
      });
      const put = storage.put(newKey(), source, abort.signal);
      setTimeout(() => abort.abort(new Error('client gone')), 20);
      await expect(put).rejects.toThrow('client gone');
      expect(await store.holdings()).toEqual([]);
    });

    it('does not read from a source when it is aborted already', async () => {
      let isRead = false;
      const source = (async function* () {
        isRead = true;
        yield madeBytes(1);
      })();
      await expect(storage.put(newKey(), source, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
      expect(isRead).toBe(false);
    });

    it('leaves nothing or the whole object, whenever it is aborted', async () => {
      const bytes = madeBytes(3_000_000);
      const kept: string[] = [];
      for (let step = 0; step < 60; step++) {
        const abort = new AbortController();
        const key = newKey();
        const put = storage.put(key, streamOf(bytes), abort.signal);
        const later = Bun.sleep(step / 10).then(() => abort.abort(new Error('client gone')));
        const staged = await put.catch((error: Error) => error);
        await later;
        if (staged instanceof Error) expect(staged.message).toBe('client gone');
        else kept.push(key);
      }
      expect(await listed()).toEqual(kept.toSorted());
      expect(await store.holdings()).toEqual(kept.toSorted());
    });

    it('can be checked without a trace', async () => {
      await Promise.all([storage.check(), storage.check(), storage.check()]);
      expect(await store.holdings()).toEqual([]);
    });

    it('recovers: keeps what a row names and removes the rest', async () => {
      const old = await putWhole(madeBytes(10));
      const committed = await storage.put(newKey(), streamOf(madeBytes(3_000_000)));
      const uncommitted = await storage.put(newKey(), streamOf(madeBytes(30)));
      const reopened = await store.reopenAfterCrash();
      const asked: string[] = [];
      const outcome = await reopened.recover(async (keys) => {
        asked.push(...keys);
        return new Set([committed.key]);
      });
      expect(outcome).toEqual({ kept: 1, removed: 1 });
      expect(asked.toSorted()).toEqual([committed.key, uncommitted.key].toSorted());
      expect(await store.holdings()).toEqual([old, committed.key].toSorted());
      expect(sha256(await bytesOf(await reopened.read(committed.key)))).toBe(sha256(madeBytes(3_000_000)));
      expect(await reopened.recover(none)).toEqual({ kept: 0, removed: 0 });
    });

    it('asks in batches, however much was staged', async () => {
      const staged = await Promise.all(
        Array.from({ length: 1201 }, () => storage.put(newKey(), streamOf(madeBytes(1)))),
      );
      const odd = new Set(staged.filter((_, i) => i % 2 === 1).map(({ key }) => key));
      const reopened = await store.reopenAfterCrash();
      const sizes: number[] = [];
      const outcome = await reopened.recover(async (keys) => {
        sizes.push(keys.length);
        return odd;
      });
      expect(outcome).toEqual({ kept: 600, removed: 601 });
      expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
      expect(await store.holdings()).toEqual([...odd].toSorted());
    }, 60_000);

    it('removes nothing when it cannot learn what is referred to', async () => {
      const staged = await storage.put(newKey(), streamOf(madeBytes(10)));
      const reopened = await store.reopenAfterCrash();
      const failure = new Error('the database is away');
      expect(await reopened.recover(() => Promise.reject(failure)).catch((error: unknown) => error)).toBe(failure);
      expect(await listed(reopened)).toEqual([staged.key]);
      expect(await reopened.recover(none)).toEqual({ kept: 0, removed: 1 });
    });

    it('does not touch what a living process has staged', async () => {
      const staged = await storage.put(newKey(), streamOf(madeBytes(10)));
      expect(await storage.recover(none)).toEqual({ kept: 0, removed: 0 });
      await staged.keep();
      expect(await storage.stat(staged.key)).toEqual({ bytes: 10 });
    });
  });
}
