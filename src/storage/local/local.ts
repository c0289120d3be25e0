import { randomBytes } from 'node:crypto';
import { link, opendir, readdir, realpath, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { folderNameOf, type ProcessIdentity, thisProcess } from '../../base/process-identity.ts';
import { onDisk, storageFailed } from '../errors.ts';
import { isKey, isShard } from '../key.ts';
import {
  createFile,
  ensureFolder,
  ensureFolders,
  entryAt,
  isRealFolder,
  syncFolder,
  unlinkIfThere,
} from '../real-folder.ts';
import { type RecoverOptions, recoverStaged, type StagedFile } from '../staged-objects.ts';
import type { ByteRange, Disk, ListedObject, Storage, UnfinishedUpload } from '../storage.ts';
import { createBufferPool } from '../write-stream.ts';
import { createLocalLayout, type LocalLayout } from './layout.ts';
import { createLocalMarker } from './marker.ts';
import { putObject } from './put.ts';

export interface LocalStorageOptions {
  /** The owner of the staged objects. Default: this process. */
  process?: ProcessIdentity;
  /** Creates a hard link. Default: link(2). */
  link?: typeof link;
}

/**
 * Creates a store in a folder of this machine: objects under `<shard>/<name>`, and the names of staged objects under
 * `incoming/<process>/`. Never follows links in the folder. Throws `storage-failed` if the folder cannot be created or
 * written to.
 */
export async function createLocalStorage(folder: string, options: LocalStorageOptions = {}): Promise<Storage> {
  const self = options.process ?? thisProcess();
  const layout = await onDisk('The file store cannot be used.', async () => {
    await ensureFolders(folder);
    const layout = createLocalLayout(await realpath(folder));
    await ensureFolder(layout.incoming);
    return layout;
  });
  const own = join(layout.incoming, folderNameOf(self));
  const marker = createLocalMarker(layout);
  const putting = { layout, folder: own, pool: createBufferPool(), link: options.link ?? link };
  return {
    async put(key, source, signal) {
      await marker.require();
      return putObject(key, source, signal, putting);
    },
    read: (key, range, bytes) => onDisk('The file could not be read.', () => readObject(layout, key, range, bytes)),
    stat: (key) => onDisk('The file could not be read.', () => statObject(layout, key)),
    remove: (key) =>
      onDisk('The file could not be removed.', async () => {
        if (await isRealFolder(layout.shardOf(key))) await unlinkIfThere(layout.objectAt(key));
      }),
    list: () => listObjects(layout),
    listUnfinished: (before) => listUnfinished(layout, before),
    recover: (isReferred) => recoverStaged(localRecovery(layout, self), isReferred),
    marker,
    async check() {
      await marker.require();
      await checkWritable(layout, own);
    },
    disk: () => onDisk('The free space of the file store cannot be read.', () => diskOf(layout.root)),
  };
}

async function statObject(layout: LocalLayout, key: string): Promise<{ bytes: number } | undefined> {
  if (!(await isRealFolder(layout.shardOf(key)))) return undefined;
  const entry = await entryAt(layout.objectAt(key));
  return entry?.isFile() ? { bytes: entry.size } : undefined;
}

async function readObject(
  layout: LocalLayout,
  key: string,
  range: ByteRange | undefined,
  bytes: number | undefined,
): Promise<Blob> {
  const stats = await statObject(layout, key);
  if (stats === undefined) throw new Error(`the object ${key} does not exist`);
  if (bytes !== undefined && stats.bytes !== bytes)
    throw new Error(`object ${key} has ${stats.bytes} of ${bytes} bytes`);
  const object = Bun.file(layout.objectAt(key));
  if (range === undefined) return object;
  const { first, last } = range;
  const isWithin = Number.isInteger(first) && Number.isInteger(last) && 0 <= first && first <= last;
  if (!isWithin || last >= stats.bytes) {
    throw new Error(`bytes ${first} to ${last} were asked of object ${key}, which has ${stats.bytes}`);
  }
  return object.slice(first, last + 1);
}

async function* listObjects({ root }: LocalLayout): AsyncGenerator<ListedObject, void, void> {
  const search = <T>(work: () => Promise<T>) => onDisk('The file store could not be searched.', work);
  for (const shard of await search(() => readdir(root))) {
    if (!isShard(shard) || !(await search(() => entryAt(join(root, shard))))?.isDirectory()) continue;
    const names = await search(() => opendir(join(root, shard)));
    try {
      for (let entry = await search(() => names.read()); entry !== null; entry = await search(() => names.read())) {
        const key = `${shard}/${entry.name}`;
        if (!isKey(key) || !entry.isFile()) continue;
        const entryStats = await search(() => entryAt(join(root, shard, entry.name)));
        // The object may have been removed since.
        if (entryStats?.isFile()) yield { key, bytes: entryStats.size, modified: entryStats.mtime };
      }
    } finally {
      await search(() => names.close());
    }
  }
}

/** Yields the staged names of all processes, including running ones of other hosts. */
async function* listUnfinished({ incoming }: LocalLayout, before: Date): AsyncGenerator<UnfinishedUpload, void, void> {
  const search = <T>(work: () => Promise<T>) => onDisk('The file store could not be searched.', work);
  for (const folder of await search(() => readdir(incoming))) {
    const path = join(incoming, folder);
    if (!(await search(() => entryAt(path)))?.isDirectory()) continue;
    for (const name of await search(() => readdir(path))) {
      const entryStats = await search(() => entryAt(join(path, name)));
      if (entryStats === undefined || entryStats.mtime >= before) continue;
      const remove = () => onDisk('The file could not be removed.', () => unlinkIfThere(join(path, name)));
      yield {
        name: `incoming/${folder}/${name}`,
        modified: entryStats.mtime,
        remove: async () => void (await remove()),
      };
    }
  }
}

/** Returns the options by which `recoverStaged` cleans up the folder of a local store. */
function localRecovery(layout: LocalLayout, self: ProcessIdentity): RecoverOptions {
  return {
    incoming: layout.incoming,
    self,
    place: (staged) => ensurePlaced(staged, layout),
    remove: async ({ key }) => {
      if (await isRealFolder(layout.shardOf(key))) await unlinkIfThere(layout.objectAt(key));
    },
  };
}

/** Restores the object of a row from its staged name, which may be its only name after damage of the file system. */
async function ensurePlaced({ path, key, isMarker }: StagedFile, layout: LocalLayout): Promise<void> {
  const target = layout.objectAt(key);
  const shard = layout.shardOf(key);
  if (isMarker || ((await isRealFolder(shard)) && (await entryAt(target)) !== undefined)) return;
  await ensureFolder(shard);
  await link(path, target);
  await syncFolder(shard);
}

async function diskOf(folder: string): Promise<Disk> {
  const [{ dev }, { bavail, bsize }] = await Promise.all([stat(folder), statfs(folder)]);
  return { id: String(dev), freeBytes: bavail * bsize };
}

async function checkWritable({ incoming }: LocalLayout, own: string): Promise<void> {
  const path = join(own, `check-${randomBytes(8).toString('hex')}`);
  try {
    await ensureFolder(incoming);
    await ensureFolder(own);
    const file = await createFile(path);
    try {
      await file.write('1');
    } finally {
      await file.close();
      await unlinkIfThere(path);
    }
  } catch (error) {
    throw storageFailed('The file store cannot be written to.', error);
  }
}
