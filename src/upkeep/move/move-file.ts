import { and, eq, sql } from 'drizzle-orm';
import { failedGuard, isOutcomeUnknown } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { fixityChecks } from '../../database/schema/fixity.ts';
import { requireOne } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { Services } from '../../repository/content/services.ts';
import { recordDiscarded } from '../../repository/files/discarded.ts';
import type { Scheme } from '../../repository/files/scheme.ts';
import { storedInOf } from '../../repository/files/scheme.ts';
import { findStoredFile, type StoredBytesOfFile } from '../../repository/files/stored-files.ts';
import type { StagedObject } from '../../storage/storage.ts';
import { type CopyFault, type CopyOptions, copyObject } from './copy-object.ts';

/** Maximum number of copies of a file whose bytes are replaced each time while it is copied. */
const MAX_ATTEMPTS = 8;
/** Maximum number of attempts to send a write whose outcome is unknown. */
const MAX_WRITES = 6;
const FIRST_PAUSE_MS = 250;

/** The services and options for moving a file. */
export interface MoveParts extends CopyOptions {
  readonly services: Services;
  readonly from: Scheme;
  readonly to: Scheme;
}

/** Why a file stays where it is. */
export type MoveFault = CopyFault | { readonly kind: 'restless' };

export interface FailedFile {
  readonly file: StoredBytesOfFile;
  readonly fault: MoveFault;
}

/** `passed`: the file was removed, or its bytes are no longer in the store. */
type MoveOutcome = { readonly kind: 'moved' } | { readonly kind: 'passed' } | Failure;

type Failure = { readonly kind: 'failed' } & FailedFile;

/**
 * Moves the bytes of a file into another store: copies them and reads the copy back, updates the row, then discards the
 * old object. After a crash at any point, one of the two stores has all bytes of the file. A concurrent change or removal
 * takes precedence. Throws as `copyObject` does, and errors of the database.
 */
export async function moveFile(parts: MoveParts, source: StoredBytesOfFile): Promise<MoveOutcome> {
  const { services, from } = parts;
  let file: StoredBytesOfFile | undefined = source;
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
  const { services, from, to } = parts;
  const { storageKey: key, filesize: bytes, sha256 } = file;
  const copied = await copyObject({ storage: from.storage, key, bytes, sha256 }, to.storage, parts);
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
 * Makes the copy the file's object, unless its row names another one by now; returns whether it did. The write may be
 * sent again, since the version lets only one of them succeed. If the outcome of an earlier one is unknown, an error does
 * not tell whether the row names the copy: the copy stays until the next clean-up, which reads the row.
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
        // Only facts about the file have changed, not its bytes.
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

type NewObject = Named<{ id: number; version: number; storageKey: string; storedIn: string | null }>;
const nameObject = prepare(({ id, version, storageKey, storedIn }: NewObject) =>
  query
    .update(files)
    .set({ storageKey, storedIn, version: sql`${files.version} + 1` })
    .where(and(eq(files.id, id), eq(files.version, version))),
);
const keepCheck = prepare(({ id, from, to }: Named<{ id: number; from: string; to: string }>) =>
  query
    .update(fixityChecks)
    .set({ storageKey: to })
    .where(and(eq(fixityChecks.fileId, id), eq(fixityChecks.storageKey, from))),
);

function naming({ from, to }: MoveParts, { id, uri, version, storageKey }: StoredBytesOfFile, key: string) {
  return {
    name: nameObject({ id, version, storageKey: key, storedIn: storedInOf(uri, to.name) }),
    guard: requireOne('stale'),
    // The result of the last check is valid for the copy too, whose bytes were just compared.
    check: keepCheck({ id, from: storageKey, to: key }),
    discard: [recordDiscarded(from.name, storageKey)],
  };
}
