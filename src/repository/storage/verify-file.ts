import { setTimeout } from 'node:timers/promises';
import type { Pace } from '../../base/byte-pace.ts';
import { ServiceError } from '../../base/errors.ts';
import { noteStreamed } from '../../base/release-memory.ts';
import type { Database } from '../../database/database.ts';
import type { Storage } from '../../storage/storage.ts';
import { storeOf } from '../files/scheme.ts';
import type { Services } from '../services.ts';
import type { FixityOutcome } from './verify-run.ts';
import type { StoreWatch } from './verify-store.ts';

/** What the row of a file says of its bytes. */
export interface FileToCheck {
  readonly id: number;
  readonly uri: string;
  readonly storedIn: string | null;
  readonly storageKey: string;
  readonly filesize: number;
  readonly sha256: string;
}

/** What a look at a file has found; `file` is what its row said by then. */
export interface CheckedFile {
  readonly file: FileToCheck;
  readonly outcome: FixityOutcome;
  /** What is wrong, in words; null for an intact file. */
  readonly detail: string | null;
}

/** How files are read. */
export interface Reading {
  readonly pace: Pace;
  readonly stores: StoreWatch;
  readonly signal: AbortSignal;
  /** Called for every piece that was read. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/** A transfer that breaks off is tried again so often before a file counts as unreadable, after so long. */
const MAX_READINGS = 3;
const RETRY_MS = 100;
const MAX_DETAIL_CHARS = 300;

type Finding = Omit<CheckedFile, 'file'>;

/** The columns of a file that a check needs, in the order of `toFileToCheck`. */
export const FILE_TO_CHECK_COLUMNS = 'file.id, file.uri, file.stored_in, file.storage_key, file.filesize, file.sha256';

/** A file from the columns of its row. */
export function toFileToCheck(row: ArrayLike<unknown>): FileToCheck {
  return {
    id: Number(row[0]),
    uri: String(row[1]),
    storedIn: row[2] === null ? null : String(row[2]),
    storageKey: String(row[3]),
    filesize: Number(row[4]),
    sha256: String(row[5]),
  };
}

/**
 * Reads the bytes of a file and compares them with its checksum; never more of them in memory than a few pieces. What
 * was replaced meanwhile is looked at again. Answers undefined for a file that is gone by then; throws `unavailable` if
 * its store cannot be used at all, and the reason of the abort.
 */
export async function checkFile(
  services: Services,
  file: FileToCheck,
  reading: Reading,
): Promise<CheckedFile | undefined> {
  let asked = file;
  for (let readings = 1; ; readings++) {
    const { mayPass, ...finding } = await look(services, asked, reading);
    if (finding.outcome === 'intact') return { file: asked, ...finding };
    const present = await findPresent(services.database, asked.id);
    if (present === undefined) return undefined;
    if (!Bun.deepEquals(present, asked)) {
      asked = present;
      readings = 0;
    } else {
      if (!mayPass || readings === MAX_READINGS) return { file: asked, ...finding };
      await setTimeout(RETRY_MS, undefined, { signal: reading.signal });
    }
  }
}

/** As a write, so that a replica that is behind does not answer: what it still believes would look like damage. */
async function findPresent({ write }: Database, id: number): Promise<FileToCheck | undefined> {
  const [result] = await write([{ sql: `SELECT ${FILE_TO_CHECK_COLUMNS} FROM file WHERE id = ?`, args: [id] }]);
  const row = result?.rows[0];
  return row && toFileToCheck(row);
}

/** One reading. `mayPass`: what is wrong may be the way to the store and not the file. */
async function look(
  services: Services,
  file: FileToCheck,
  reading: Reading,
): Promise<Finding & { readonly mayPass: boolean }> {
  const { storageKey: key, filesize, sha256 } = file;
  const scheme = services.schemes.get(storeOf(file));
  if (scheme === undefined)
    return { outcome: 'unreadable', detail: `no storage scheme ${storeOf(file)} is configured`, mayPass: false };
  const { name, storage } = scheme;
  const { stores, signal } = reading;
  const missing = async (): Promise<Finding & { readonly mayPass: boolean }> => {
    await stores.blame(name, storage);
    return { outcome: 'missing', detail: `${filesize} bytes expected, no object ${key} found`, mayPass: false };
  };
  try {
    const found = await hash(storage, key, reading);
    if (found.bytes === filesize && found.sha256 === sha256) return { outcome: 'intact', detail: null, mayPass: false };
    const object = await storage.stat(key);
    if (object === undefined) return await missing();
    if (object.bytes !== found.bytes)
      return unreadable(`the transfer ended after ${found.bytes} of ${object.bytes} bytes`);
    const expected = `${filesize} bytes with SHA-256 ${sha256} expected`;
    const detail = `${expected}, ${found.bytes} bytes with SHA-256 ${found.sha256} found`;
    return { outcome: 'damaged', detail, mayPass: false };
  } catch (error) {
    signal.throwIfAborted();
    await stores.blame(name, storage, error);
    return (await isMissing(storage, key)) ? missing() : unreadable(reasonOf(error));
  }
}

async function hash(
  storage: Storage,
  key: string,
  { pace, signal, onBytes }: Reading,
): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const body = await storage.read(key);
  const reader = (body instanceof Blob ? body.stream() : body).getReader();
  const hasher = new Bun.CryptoHasher('sha256');
  // A read of a store that hangs would outlast the abort by far.
  const giveUp = () => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', giveUp, { once: true });
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return { bytes, sha256: hasher.digest('hex') };
      hasher.update(value);
      bytes += value.byteLength;
      noteStreamed(value.byteLength);
      onBytes?.(value.byteLength);
      await pace.take(value.byteLength, signal);
    }
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

async function isMissing(storage: Storage, key: string): Promise<boolean> {
  try {
    return (await storage.stat(key)) === undefined;
  } catch (error) {
    // It cannot be looked at either: the reading has said why.
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

function unreadable(reason: string): Finding & { mayPass: boolean } {
  return { outcome: 'unreadable', detail: reason.slice(0, MAX_DETAIL_CHARS), mayPass: true };
}

function reasonOf(error: unknown): string {
  const cause = error instanceof ServiceError && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
