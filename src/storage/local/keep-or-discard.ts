import { onDisk, storageFailed } from '../errors.ts';
import type { StagedObject } from '../storage.ts';

/** `keep` and `discard`, of which the first counts: a `discard` after `keep` does nothing. */
export function keepOrDiscard(
  removeAll: () => Promise<void>,
  removeReminder: () => Promise<unknown>,
): Pick<StagedObject, 'keep' | 'discard'> {
  let state: 'staged' | 'kept' | 'discarded' = 'staged';
  return {
    async keep() {
      if (state === 'discarded') {
        throw storageFailed('The file could not be stored.', new Error('the object was discarded before'));
      }
      // Before the reminder goes: a row names the object now, so it stays even if that fails.
      state = 'kept';
      await onDisk('The file could not be stored.', removeReminder);
    },
    async discard() {
      if (state === 'kept') return;
      state = 'discarded';
      await onDisk('The file could not be removed.', removeAll);
    },
  };
}
