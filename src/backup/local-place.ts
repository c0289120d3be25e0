import { chmod, mkdir, open, opendir, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { type BufferPool, createBufferPool } from '../storage/buffered-writer.ts';
import { createFile, ensureFolders, entryAt, syncFolder, unlinkIfThere } from '../storage/real-folder.ts';
import type { StoredBytes } from '../storage/storage.ts';
import { writeStream } from '../storage/write-stream.ts';
import { BackupError, reading, UnexpectedBytes, withReason } from './errors.ts';
import { lockFile } from './local-lock.ts';
import { type BackupPlace, isSame, type PlacedBytes } from './place.ts';

/** Everything in it is for its owner alone: it holds what the repository hides, and its keys. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** By which a folder with backups is known, too. */
const LOCK_FILE = 'backup.lock';
const WORK_FOLDER = 'incomplete';
/** What a new disk has in it by itself. */
const NOT_COUNTED = new Set(['lost+found']);

/** A place for backups in a folder. It is made by `lock`, or by the first thing that is put there. */
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
          const stored = await writeDurably(file, source, pool);
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
        if (!(await entryAt(path))?.isFile()) throw new BackupError(`${path} is not there.`);
        return reading(`${root} cannot be read`, Bun.file(path).stream());
      }),
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
          // What a backup left that was killed: nobody else is at it now.
          await rm(work, { recursive: true, force: true });
        } catch (error) {
          await lock.release();
          throw error;
        }
        return lock;
      }),
  };
}

/** A mistyped folder must not be cleared up in. */
async function requireOwn(root: string): Promise<void> {
  const entries = (await readdir(root)).filter((name) => !NOT_COUNTED.has(name));
  if (entries.length > 0 && !entries.includes(LOCK_FILE))
    throw new BackupError(`${root} holds other things, and no backups: name an empty folder, or one with backups.`);
}

async function makeFolders(path: string): Promise<void> {
  const first = (await entryAt(path)) === undefined;
  if (!first) return;
  await ensureFolders(dirname(path));
  try {
    await mkdir(path, { mode: FOLDER_MODE });
  } catch (error) {
    // Another content of the same shard was faster.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  await syncFolder(dirname(path));
}

async function writeDurably(file: string, source: AsyncIterable<Uint8Array>, pool: BufferPool): Promise<StoredBytes> {
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
      const found = await search(() => entryAt(join(folder, entry?.name ?? '')));
      if (found?.isFile()) yield { name: `${name}/${entry.name}`, bytes: found.size };
    }
  } finally {
    await search(() => entries.close());
  }
}
