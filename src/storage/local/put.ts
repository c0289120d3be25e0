import { type link, rename, utimes } from 'node:fs/promises';
import { basename } from 'node:path';
import { codeOf } from '../../base/errors.ts';
import { onDisk } from '../errors.ts';
import { createFile, ensureFolder, entryAt, syncFolder, unlinkIfThere } from '../real-folder.ts';
import { keepOrDiscard } from '../staged-objects.ts';
import type { StagedObject } from '../storage.ts';
import type { BufferPool } from '../write-stream.ts';
import { writeStream } from '../write-stream.ts';
import type { LocalLayout } from './layout.ts';

/** The errors of file systems that do not support this hard link. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EMLINK']);

/** Maximum time between two signs of life of a process. */
const SIGN_OF_LIFE_MS = 3_600_000;

interface PutOptions {
  layout: LocalLayout;
  /** The folder of this process. */
  folder: string;
  pool: BufferPool;
  /** Gives a file a second name, as link(2). */
  link: typeof link;
}

/** Writes an object (see `Storage.put`): first under its staged name; links it to its place when it is flushed. */
export async function putObject(
  key: string,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
  options: PutOptions,
): Promise<StagedObject> {
  const { layout, folder, pool } = options;
  const staged = layout.stagedAt(folder, key);
  const toDisk = <T>(work: () => Promise<T>) => onDisk('The file could not be stored.', work);
  signal?.throwIfAborted();
  const file = await toDisk(async () => {
    await ensureFolder(layout.incoming);
    await ensureFolder(folder);
    return createFile(staged);
  });
  let removeAll = async () => void (await unlinkIfThere(staged));
  try {
    const stored = await writeStream(file, source, { pool, signal, onProgress: signOfLife(folder) })
      .then(async (bytes) => {
        await toDisk(() => file.sync());
        return bytes;
      })
      .finally(() => toDisk(() => file.close()));
    signal?.throwIfAborted();
    const placed = await toDisk(() => placeObject(key, options));
    removeAll = async () => {
      // In this order: as long as the staged name exists, the next start completes an interrupted removal.
      await unlinkIfThere(layout.objectAt(key));
      await unlinkIfThere(placed.reminder);
    };
    await toDisk(() => placed.makeDurable());
    signal?.throwIfAborted();
    return { key, ...stored, ...keepOrDiscard(removeAll, () => unlinkIfThere(placed.reminder)) };
  } catch (error) {
    await removeAll().catch((leftover: unknown) => {
      // The caller receives the error of the upload. Objects that could not be removed still have their staged name, by
      // which the next start removes them.
      if (codeOf(leftover) === undefined) throw leftover;
    });
    throw error;
  }
}

/**
 * Links a flushed object to its place. `reminder` is the name that marks it as not kept: its staged name or, without hard
 * links, a marker that is created before the move.
 */
async function placeObject(
  key: string,
  { layout, folder, link }: PutOptions,
): Promise<{ reminder: string; makeDurable(): Promise<void> }> {
  const staged = layout.stagedAt(folder, key);
  const target = layout.objectAt(key);
  const shard = layout.shardOf(key);
  await ensureFolder(shard);
  await syncFolder(folder);
  const makeDurable = () => syncFolder(shard);
  try {
    await link(staged, target);
    return { reminder: staged, makeDurable };
  } catch (error) {
    if (!NO_LINKS.has(codeOf(error) ?? '')) throw error;
  }
  // A rename would replace an existing object.
  if ((await entryAt(target)) !== undefined) throw new Error(`the object ${basename(target)} exists already`);
  const marker = layout.markerAt(folder, key);
  try {
    await (await createFile(marker)).close();
    await syncFolder(folder);
    await rename(staged, target);
  } catch (error) {
    await unlinkIfThere(marker);
    throw error;
  }
  return { reminder: marker, makeDurable };
}

/** Touches a folder once an hour, so that other hosts see that its process is alive. */
function signOfLife(folder: string): () => Promise<void> {
  let last = Date.now();
  return async () => {
    if (Date.now() - last < SIGN_OF_LIFE_MS) return;
    last = Date.now();
    await utimes(folder, new Date(last), new Date(last));
  };
}
