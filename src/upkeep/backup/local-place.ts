import { chmodSync, rmSync } from 'node:fs';
import { chmod, mkdir, open, opendir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import Libsql from 'libsql';
import { codeOf } from '../../base/errors.ts';
import { isBusy } from '../../database/errors.ts';
import { createFile, ensureFolders, entryAt, syncFolder, unlinkIfThere } from '../../storage/real-folder.ts';
import type { StoredBytes } from '../../storage/storage.ts';
import { createBufferPool, writeStream } from '../../storage/write-stream.ts';
import { BackupError, reading, UnexpectedBytes, withReason } from './errors.ts';
import { type BackupPlace, isSame, type PlacedBytes, type PlaceLock } from './place.ts';

/** Only the owner may read a backup: it contains unpublished content and keys. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** The lock. It also marks a folder with backups. */
const LOCK_FILE = 'backup.lock';
const WORK_FOLDER = 'incomplete';
/** Entries that an empty disk has. */
const NOT_COUNTED = new Set(['lost+found']);

/** Creates a place in a folder. `lock` and `put` create the folder if it is missing. */
export function createLocalPlace(folder: string): BackupPlace {
  const root = resolve(folder);
  const work = join(root, WORK_FOLDER);
  const pool = createBufferPool();
  let count = 0;
  const inPlace = <T>(what: string, task: () => Promise<T>) => withReason(`${root} ${what}`, task);
  const place = async (name: string, file: string) => {
    const target = join(root, name);
    await makeFolders(dirname(target));
    await rename(file, target);
    await syncFolder(dirname(target));
  };
  return {
    address: root,
    put: (name, source, expected) =>
      inPlace('cannot be written to', async () => {
        await makeFolders(work);
        const file = join(work, `${++count}-${basename(name)}`);
        try {
          const stored = await writePrivateFile(file, source, pool);
          if (expected !== undefined && !isSame(expected, stored)) throw new UnexpectedBytes(expected, stored);
          await place(name, file);
          return stored;
        } catch (error) {
          await unlinkIfThere(file);
          throw error;
        }
      }),
    putFile: (name, file) =>
      inPlace('cannot be written to', async () => {
        await chmod(file, FILE_MODE);
        const handle = await open(file, 'r+');
        await handle.sync().finally(() => handle.close());
        await place(name, file);
      }),
    get: (name) =>
      inPlace('cannot be read', async () => {
        const path = join(root, name);
        if (!(await entryAt(path))?.isFile()) throw new BackupError(`${path} does not exist.`);
        return reading(`${root} cannot be read`, Bun.file(path).stream());
      }),
    fileOf: (name) => join(root, name),
    list: (name) => list(root, name),
    requireExisting: () =>
      inPlace('cannot be read', async () => {
        if (!(await entryAt(root))) throw new BackupError(`There is no backup in ${root}: the folder does not exist.`);
        await requireOwn(root);
      }),
    remove: (name) => inPlace('cannot be written to', async () => void (await unlinkIfThere(join(root, name)))),
    workFolder: () =>
      inPlace('cannot be written to', async () => {
        await makeFolders(work);
        return work;
      }),
    lock: () =>
      inPlace('cannot be written to', async () => {
        await makeFolders(root);
        await requireOwn(root);
        const lock = lockFile(join(root, LOCK_FILE), { taken: `Another backup to ${root} is under way.` });
        try {
          // Removes files of a backup that was killed: no other backup runs now.
          await rm(work, { recursive: true, force: true });
        } catch (error) {
          await lock.release();
          throw error;
        }
        return lock;
      }),
  };
}

/** Protects the files of a mistyped folder. */
async function requireOwn(root: string): Promise<void> {
  const entries = (await readdir(root)).filter((name) => !NOT_COUNTED.has(name));
  if (entries.length > 0 && !entries.includes(LOCK_FILE))
    throw new BackupError(`${root} holds other files, and no backups: name an empty folder, or one with backups.`);
}

async function makeFolders(path: string): Promise<void> {
  if ((await entryAt(path)) !== undefined) return;
  await ensureFolders(dirname(path));
  try {
    await mkdir(path, { mode: FOLDER_MODE });
  } catch (error) {
    // Another content of the same shard has created it.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  await syncFolder(dirname(path));
}

/** Writes a stream to a file that only its owner may read, replacing none, and flushes it to the disk. */
export async function writePrivateFile(
  file: string,
  source: AsyncIterable<Uint8Array>,
  pool = createBufferPool(),
): Promise<StoredBytes> {
  const handle = await createFile(file);
  try {
    await handle.chmod(FILE_MODE);
    const stored = await writeStream(handle, source, { pool, signal: undefined, onProgress: async () => {} });
    await handle.sync();
    return stored;
  } finally {
    await handle.close();
  }
}

async function* list(root: string, name: string): AsyncGenerator<PlacedBytes> {
  const folder = join(root, name);
  const search = <T>(task: () => Promise<T>) => withReason(`${root} cannot be read`, task);
  if ((await search(() => entryAt(folder))) === undefined) return;
  const entries = await search(() => opendir(folder));
  try {
    for (let entry = await search(() => entries.read()); entry !== null; entry = await search(() => entries.read())) {
      const stats = await search(() => entryAt(join(folder, entry?.name ?? '')));
      if (stats?.isFile()) yield { name: `${name}/${entry.name}`, bytes: stats.size };
    }
  } finally {
    await search(() => entries.close());
  }
}

/** The databases of active locks: the garbage collector would close them, and release their locks. */
const held = new Set<Libsql.Database>();

interface LockOptions {
  /** The message if another process holds the lock. */
  readonly taken: string;
  /** True to remove the file when the lock is released. */
  readonly isRemoved?: boolean;
}

/**
 * Locks a file, as SQLite locks an empty database: the system releases the lock when the process ends in any way. Throws
 * BackupError if another process holds it.
 */
export function lockFile(file: string, { taken, isRemoved = false }: LockOptions): PlaceLock {
  const database = new Libsql(file);
  try {
    database.pragma('busy_timeout = 0');
    // The database stays empty, without a second file beside it.
    database.pragma('journal_mode = MEMORY');
    database.exec('BEGIN EXCLUSIVE');
    chmodSync(file, 0o600);
  } catch (error) {
    database.close();
    if (isBusy(error)) throw new BackupError(taken);
    throw error;
  }
  held.add(database);
  return {
    lost: new AbortController().signal,
    async release() {
      held.delete(database);
      if (isRemoved) rmSync(file, { force: true });
      database.exec('ROLLBACK');
      database.close();
    },
  };
}
