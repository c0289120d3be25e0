import { ServiceError } from '../../base/errors.ts';
import type { Storage } from '../../storage/storage.ts';

/** Failures of a store as a whole, which say nothing of the file that was asked for. */
const STORE_KINDS = new Set(['unavailable', 'misconfigured', 'over-capacity']);
/** For so long a store that could be used counts as one that can. */
const TRUST_MS = 5_000;

/** Tells stores that cannot be used at all from files that are missing in them. */
export interface StoreWatch {
  /** Throws `unavailable` if what went wrong with a file is the store's doing, such as a bucket that is not there. */
  blame(store: string, storage: Storage, error?: unknown): Promise<void>;
}

/** A watch over the stores of one check, which asks each of them now and then. */
export function createStoreWatch(now = () => performance.now()): StoreWatch {
  const trustedUntil = new Map<string, number>();
  return {
    async blame(store, storage, error) {
      if (error instanceof ServiceError && STORE_KINDS.has(error.kind)) throw unusable(store, error);
      if (now() < (trustedUntil.get(store) ?? 0)) return;
      try {
        // Wrong keys, or no such bucket: the store then says of each object that it is not there, or not to be read.
        for await (const _ of storage.list()) break;
      } catch (cause) {
        throw unusable(store, cause);
      }
      trustedUntil.set(store, now() + TRUST_MS);
    },
  };
}

function unusable(store: string, cause: unknown): ServiceError {
  const message = `The storage ${store} cannot be used at present; what was checked until now is kept.`;
  return new ServiceError('unavailable', message, { cause });
}
