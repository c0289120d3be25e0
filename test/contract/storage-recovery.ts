import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { newKey } from '../../src/storage/key.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { pause } from '../support/pause.ts';
import { serviceError } from '../support/service-error.ts';
import { until } from '../support/until.ts';
import { bytesOf, madeBytes, sha256, streamOf } from './made-bytes.ts';
import type { OpenedStore } from './storage.ts';

const NOTHING = new Set<string>();
const none = async () => NOTHING;

export interface RecoveryOptions {
  /** The number of objects that a crash leaves; more than one batch of 500. */
  manyObjects: number;
}

/** The tests of interrupted uploads for every store, which is opened again for each test. */
export function describeRecovery(
  name: string,
  open: () => Promise<OpenedStore>,
  { manyObjects }: RecoveryOptions = { manyObjects: 1201 },
): void {
  describe(`${name} with unfinished objects`, () => {
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
    const listed = async (of = storage) => (await Array.fromAsync(of.list())).map(({ key }) => key).toSorted();

    it('removes a discarded object entirely', async () => {
      const staged = await storage.put(newKey(), streamOf(madeBytes(100_000)));
      await staged.discard();
      await staged.discard();
      expect(await store.holdings()).toEqual([]);
      await expect(staged.keep()).rejects.toThrow(serviceError('storage-failed', /stored/));
    });

    it('does not discard an object that is kept', async () => {
      const staged = await storage.put(newKey(), streamOf(madeBytes(100)));
      await staged.keep();
      await staged.keep();
      await staged.discard();
      expect(await storage.stat(staged.key)).toEqual({ bytes: 100 });
    });

    it.each([0, 1, 100, 1_000_000])('removes all bytes of a stream that fails after %d bytes', async (length) => {
      const lost = Object.assign(new Error('connection lost'), { code: 'ENOSPC' });
      const source = (async function* () {
        yield* streamOf(madeBytes(length));
        throw lost;
      })();
      expect(await storage.put(newKey(), source).catch((error: unknown) => error)).toBe(lost);
      expect(await store.holdings()).toEqual([]);
    });

    it('stops waiting for a silent source when it is aborted', async () => {
      const abort = new AbortController();
      const taken = Promise.withResolvers<void>();
      const source = new ReadableStream<Uint8Array>(
        {
          start: (controller) => controller.enqueue(madeBytes(1_000_000)),
          pull: () => taken.resolve(),
        },
        { highWaterMark: 0 },
      );
      const put = storage.put(newKey(), source, abort.signal);
      await taken.promise;
      abort.abort(new Error('client gone'));
      await expect(put).rejects.toThrow('client gone');
      expect(await store.holdings()).toEqual([]);
    });

    it('does not read a source that is already aborted', async () => {
      let isRead = false;
      const source = (async function* () {
        isRead = true;
        yield madeBytes(1);
      })();
      await expect(storage.put(newKey(), source, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
      expect(isRead).toBe(false);
    });

    it('stores the whole object or nothing, whenever it is aborted', async () => {
      const bytes = madeBytes(3_000_000);
      const kept: string[] = [];
      for (let step = 0; step < 60; step++) {
        const abort = new AbortController();
        const key = newKey();
        const put = storage.put(key, streamOf(bytes), abort.signal);
        const later = pause(step / 10).then(() => abort.abort(new Error('client gone')));
        const staged = await put.catch((error: Error) => error);
        await later;
        if (staged instanceof Error) expect(staged.message).toBe('client gone');
        else kept.push(key);
      }
      expect(await listed()).toEqual(kept.toSorted());
      expect(await store.holdings()).toEqual(kept.toSorted());
    });

    it('keeps objects with a row and removes the others at recovery', async () => {
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

    it('looks up staged objects in batches of at most 500', async () => {
      const staged = await Promise.all(
        Array.from({ length: manyObjects }, () => storage.put(newKey(), streamOf(madeBytes(1)))),
      );
      const odd = new Set(staged.filter((_, i) => i % 2 === 1).map(({ key }) => key));
      const reopened = await store.reopenAfterCrash();
      const sizes: number[] = [];
      const outcome = await reopened.recover(async (keys) => {
        sizes.push(keys.length);
        return odd;
      });
      expect(outcome).toEqual({ kept: odd.size, removed: manyObjects - odd.size });
      expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
      expect(await store.holdings()).toEqual([...odd].toSorted());
    }, 60_000);

    it('removes nothing if the lookup of rows fails', async () => {
      const staged = await storage.put(newKey(), streamOf(madeBytes(10)));
      const reopened = await store.reopenAfterCrash();
      const failure = new Error('the database is away');
      expect(await reopened.recover(() => Promise.reject(failure)).catch((error: unknown) => error)).toBe(failure);
      expect(await listed(reopened)).toEqual([staged.key]);
      expect(await reopened.recover(none)).toEqual({ kept: 0, removed: 1 });
    });

    it('keeps objects that a running process has staged', async () => {
      const staged = await storage.put(newKey(), streamOf(madeBytes(10)));
      expect(await storage.recover(none)).toEqual({ kept: 0, removed: 0 });
      await staged.keep();
      expect(await storage.stat(staged.key)).toEqual({ bytes: 10 });
    });

    it('lists old unfinished uploads, and removes them on request', async () => {
      const kept = await putWhole(madeBytes(10));
      const abort = new AbortController();
      const source = (async function* () {
        yield* streamOf(madeBytes(20_000_000));
        await new Promise(() => undefined);
      })();
      const put = storage.put(newKey(), source, abort.signal);
      const outcome = put.catch((error: Error) => error.message);
      const soon = new Date(Date.now() + 3_600_000);
      const found = await until(async () => {
        const all = await Array.fromAsync(storage.listUnfinished(soon));
        return all.length > 0 && all;
      });
      expect(found).toHaveLength(1);
      expect(await Array.fromAsync(storage.listUnfinished(new Date(Date.now() - 3_600_000)))).toEqual([]);
      await found[0]?.remove();
      await found[0]?.remove();
      expect(await Array.fromAsync(storage.listUnfinished(soon))).toEqual([]);
      abort.abort(new Error('enough'));
      // Parts that were being sent when their upload was removed may have failed before.
      expect(['enough', 'The file could not be stored.'] as unknown[]).toContain(await outcome);
      expect(await store.holdings()).toEqual([kept]);
    });
  });
}
