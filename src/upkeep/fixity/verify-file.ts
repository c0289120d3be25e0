import { setTimeout } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import type { Pace } from '../../base/byte-pace.ts';
import { ServiceError } from '../../base/errors.ts';
import { noteStreamed } from '../../base/release-memory.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { type FileRow, files } from '../../database/schema/files.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { Services } from '../../repository/content/services.ts';
import { storeOf } from '../../repository/files/scheme.ts';
import { streamOf } from '../../storage/read-source.ts';
import type { Storage, StoredBytes } from '../../storage/storage.ts';
import type { FixityOutcome } from './verify-run.ts';

const { id, uri, storedIn, storageKey, filesize, sha256 } = files;

/** The columns that a check requires. */
export const fileToCheck = { id, uri, storedIn, storageKey, filesize, sha256 };

/** A file with the expected bytes, from its row. */
export type FileToCheck = Readonly<Pick<FileRow, keyof typeof fileToCheck>>;

/** The result of checking a file; `file` is its row at that time. */
export interface CheckedFile {
  readonly file: FileToCheck;
  readonly outcome: FixityOutcome;
  /** A description of the problem; null for an intact file. */
  readonly detail: string | null;
}

/** The shared state of the readers of a check. */
export interface Reading {
  readonly pace: Pace;
  readonly stores: StoreWatch;
  readonly signal: AbortSignal;
  /** Called with the number of bytes of each chunk that was read. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/** Maximum number of attempts to read a file before it counts as unreadable, and the pause between them. */
const MAX_READINGS = 3;
const RETRY_MS = 100;
const MAX_DETAIL_CHARS = 300;

/** Errors of a store as a whole, which tell nothing about a file. */
const STORE_KINDS = new Set(['unavailable', 'misconfigured', 'over-capacity']);
/** The time for which a store counts as usable after it was checked. */
const TRUST_MS = 5_000;

/** The result of one reading. `mayPass`: the cause may be the connection to the store instead of the file. */
type Finding = Omit<CheckedFile, 'file'> & { readonly mayPass: boolean };

/** Distinguishes unusable stores from files that are missing in them. */
interface StoreWatch {
  /** Throws `unavailable` if the cause of a failed reading is the store as a whole, such as a bucket that does not exist. */
  blame(store: string, storage: Storage, error?: unknown): Promise<void>;
}

/** Creates a watch over the stores of one check, which tests a store when a reading fails. */
export function createStoreWatch(now = () => performance.now()): StoreWatch {
  const trustedUntil = new Map<string, number>();
  return {
    async blame(store, storage, error) {
      if (error instanceof ServiceError && STORE_KINDS.has(error.kind)) throw unusable(store, error);
      if (now() < (trustedUntil.get(store) ?? 0)) return;
      try {
        // With invalid keys or without a bucket, a store reports each object as missing or unreadable.
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

const findById = prepare((named: Named<{ id: number }>) =>
  query.select(fileToCheck).from(files).where(eq(id, named.id)),
);

/**
 * Streams the bytes of a file and compares them with its checksum. Reads again if they were replaced meanwhile. Returns
 * undefined for a file that was removed meanwhile. Throws `unavailable` if its store is unusable, and the reason of the
 * abort.
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

/** Reads in a write: the row of a replica that is behind would look like damage. */
async function findPresent({ write }: Database, id: number): Promise<FileToCheck | undefined> {
  const { rows } = await write({ rows: findById({ id }) });
  return rows[0];
}

async function look(services: Services, file: FileToCheck, reading: Reading): Promise<Finding> {
  const { storageKey: key, filesize, sha256 } = file;
  const scheme = services.schemes.get(storeOf(file));
  if (scheme === undefined)
    return { outcome: 'unreadable', detail: `no storage scheme ${storeOf(file)} is configured`, mayPass: false };
  const { name, storage } = scheme;
  const { stores, signal } = reading;
  const missing = async (): Promise<Finding> => {
    await stores.blame(name, storage);
    return { outcome: 'missing', detail: `${filesize} bytes expected, no object ${key} found`, mayPass: false };
  };
  try {
    const actual = await hash(storage, key, reading);
    if (actual.bytes === filesize && actual.sha256 === sha256)
      return { outcome: 'intact', detail: null, mayPass: false };
    const object = await storage.stat(key);
    if (object === undefined) return await missing();
    if (object.bytes !== actual.bytes)
      return unreadable(`the transfer ended after ${actual.bytes} of ${object.bytes} bytes`);
    const expected = `${filesize} bytes with SHA-256 ${sha256} expected`;
    const detail = `${expected}, ${actual.bytes} bytes with SHA-256 ${actual.sha256} found`;
    return { outcome: 'damaged', detail, mayPass: false };
  } catch (error) {
    signal.throwIfAborted();
    await stores.blame(name, storage, error);
    return (await isMissing(storage, key)) ? missing() : unreadable(reasonOf(error));
  }
}

async function hash(storage: Storage, key: string, { pace, signal, onBytes }: Reading): Promise<StoredBytes> {
  const reader = streamOf(await storage.read(key)).getReader();
  const hasher = new Bun.CryptoHasher('sha256');
  // Without this, a read of a store that hangs would outlast the abort.
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
    // The error of the reading takes precedence.
    if (error instanceof ServiceError) return false;
    throw error;
  }
}

function unreadable(reason: string): Finding {
  return { outcome: 'unreadable', detail: reason.slice(0, MAX_DETAIL_CHARS), mayPass: true };
}

function reasonOf(error: unknown): string {
  const cause = error instanceof ServiceError && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
