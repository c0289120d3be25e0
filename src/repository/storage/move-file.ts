import type { InStatement } from '@libsql/client';
import type { Pace } from '../../base/byte-pace.ts';
import { failedGuard, isOutcomeUnknown } from '../../database/errors.ts';
import type { StagedObject } from '../../storage/storage.ts';
import { noteDiscarded } from '../files/discarded.ts';
import { storedInOf } from '../files/scheme.ts';
import type { Scheme, Services } from '../services.ts';
import { type CopyFault, copyObject } from './copy-object.ts';
import { findStoredFile, type StoredBytesOfFile } from './stored-files.ts';

/** A file that gets other bytes each time while it is copied is left for another run. */
const MAX_ATTEMPTS = 8;
/** How often a write is sent again of which nobody knows whether it was done. */
const MAX_WRITES = 6;
const FIRST_PAUSE_MS = 250;

/** What moving a file works with. */
export interface MoveParts {
  readonly services: Services;
  readonly from: Scheme;
  readonly to: Scheme;
  readonly pace: Pace;
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
}

/** Why a file stays where it is. */
export type MoveFault = CopyFault | { readonly kind: 'restless' };

export interface FailedFile {
  readonly file: StoredBytesOfFile;
  readonly fault: MoveFault;
}

/** `passed`: there is nothing left to move, since the file was removed or got bytes elsewhere. */
export type MoveOutcome = { readonly kind: 'moved' } | { readonly kind: 'passed' } | Failure;

type Failure = { readonly kind: 'failed' } & FailedFile;

/**
 * Moves the bytes of a file into another store: first a copy that was read back, then the row, then the old object goes
 * as any that is not needed any more. A crash at any point leaves the file with whole bytes in one of the two; whoever
 * is faster in changing or removing it wins. Throws as `copyObject` does, and what the database throws.
 */
export async function moveFile(parts: MoveParts, found: StoredBytesOfFile): Promise<MoveOutcome> {
  const { services, from } = parts;
  let file: StoredBytesOfFile | undefined = found;
  for (let attempt = 1; file !== undefined; attempt++) {
    const outcome = await tryToMove(parts, file);
    if (outcome.kind === 'moved') return outcome;
    const current = await findStoredFile(services.database, file.id);
    if (outcome.kind === 'failed' && current?.storageKey === file.storageKey) return outcome;
    file = current?.store === from.name ? current : undefined;
    if (attempt === MAX_ATTEMPTS && file) return { kind: 'failed', file, fault: { kind: 'restless' } };
  }
  return { kind: 'passed' };
}

async function tryToMove(
  parts: MoveParts,
  file: StoredBytesOfFile,
): Promise<{ readonly kind: 'moved' } | { readonly kind: 'changed' } | Failure> {
  const { services, from, to, pace, signal, onBytes } = parts;
  const { storageKey: key, filesize: bytes, sha256 } = file;
  const copied = await copyObject({ storage: from.storage, key, bytes, sha256 }, to.storage, { pace, signal, onBytes });
  if ('fault' in copied) return { kind: 'failed', file, fault: copied.fault };
  const { copy } = copied;
  if (!(await nameCopy(parts, file, copy))) {
    await copy.discard();
    return { kind: 'changed' };
  }
  await copy.keep();
  services.discards.add(from.name, key);
  return { kind: 'moved' };
}

/**
 * Makes the copy the file's object, unless its row names another one by now; answers whether it has. The write may be
 * sent again without harm, since the version lets only one of them through. If one was cut off before, what is thrown
 * says nothing of whether the row names the copy: it stays for who clears up to ask.
 */
async function nameCopy(parts: MoveParts, file: StoredBytesOfFile, copy: StagedObject): Promise<boolean> {
  const { database } = parts.services;
  let { version } = file;
  let isUnknown = false;
  for (let write = 1; ; write++) {
    try {
      await database.write(naming(parts, { ...file, version }, copy.key));
      return true;
    } catch (error) {
      if (failedGuard(error) === 'guard_stale') {
        const current = await findStoredFile(database, file.id);
        if (current?.storageKey === copy.key) return true;
        if (current?.storageKey !== file.storageKey || write >= MAX_WRITES) return false;
        // Something else of the file has changed, not its bytes.
        version = current.version;
        continue;
      }
      isUnknown ||= isOutcomeUnknown(error);
      if (!isUnknown) await copy.discard();
      if (!isUnknown || write >= MAX_WRITES) throw error;
      await Bun.sleep(FIRST_PAUSE_MS * 2 ** (write - 1));
    }
  }
}

function naming({ from, to }: MoveParts, file: StoredBytesOfFile, key: string): InStatement[] {
  return [
    {
      sql: 'UPDATE file SET storage_key = ?, stored_in = ?, version = version + 1 WHERE id = ? AND version = ?',
      args: [key, storedInOf(file.uri, to.name), file.id, file.version],
    },
    { sql: 'INSERT INTO guard (stale) SELECT 1 WHERE changes() <> 1', args: [] },
    {
      // What was found of the old copy holds for the new one, which has just been read again.
      sql: 'UPDATE fixity_check SET storage_key = ? WHERE file_id = ? AND storage_key = ?',
      args: [key, file.id, file.storageKey],
    },
    noteDiscarded(from.name, file.storageKey),
  ];
}
