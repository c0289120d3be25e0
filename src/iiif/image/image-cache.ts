import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, ServiceError } from '../../base/errors.ts';
import { SharedRuns } from '../../base/shared-runs.ts';
import { onDisk } from '../../storage/errors.ts';
import { type ImageClient, SharedComputations } from './shared-computations.ts';

/** A file of the cache. It remains readable after it was removed from the cache. */
export interface CachedFile {
  readonly bytes: number;
  /** Returns its bytes. To be called once; `close` instead if they are not needed. */
  open(): ReadableStream<Uint8Array>;
  close(): Promise<void>;
}

type MakeImage = (signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>;

/** Computed files on the disk, shared by all processes of a data folder. */
export interface ImageCache {
  /**
   * Returns a file by its key, 64 hexadecimal digits; a missing one is made. Concurrent calls of a process make it once, as
   * `SharedComputations`. A file gets its name when it is complete. Rejects if `make` or its stream fails. The signal of
   * `make` aborts when no client waits any more.
   */
  read(key: string, client: ImageClient, make: MakeImage): Promise<CachedFile>;
}

const NO_CACHE = 'The image cannot be stored.';
const FOLDER_MODE = 0o750;
const FILE_MODE = 0o640;
const CHUNK_BYTES = 256 * 1024;
/** A file that is being written. Its name begins as no key does. */
const PART = 'part-';
/** The age at which an unfinished file belongs to a process that was killed, in milliseconds. */
const ABANDONED_MS = 3_600_000;
/** After this share of the bound has been written by a process, it looks for files to remove, */
const SHARE_BEFORE_TRIM = 1 / 32;
/** and removes the oldest ones until this share is left, so that several processes together stay within the bound. */
const SHARE_AFTER_TRIM = 3 / 4;

interface CacheOptions {
  readonly folder: string;
  readonly maxBytes: number;
  readonly now?: () => number;
  warn(message: string, cause: unknown): void;
}

/**
 * Creates a cache in a folder, which is created when needed. When its files exceed `maxBytes`, the oldest are removed; `warn`
 * reports why that fails. `now` returns milliseconds since 1970.
 */
export function createImageCache({ folder, maxBytes, warn, now = Date.now }: CacheOptions): ImageCache {
  const computations = new SharedComputations();
  const trims = new SharedRuns(() => trim(folder, maxBytes * SHARE_AFTER_TRIM, now()));
  let written = maxBytes;

  async function write(key: string, make: MakeImage, signal: AbortSignal): Promise<void> {
    const source = await make(signal);
    await mkdir(folderOf(folder, key), { recursive: true, mode: FOLDER_MODE });
    const part = join(folder, `${PART}${randomUUID()}`);
    const handle = await open(part, 'wx', FILE_MODE);
    let bytes = 0;
    try {
      for await (const chunk of source) {
        await onDisk(NO_CACHE, () => handle.writeFile(chunk));
        bytes += chunk.byteLength;
      }
      if (bytes === 0) throw new ServiceError('command-failed', 'The image cannot be computed: the result is empty.');
      // After a power failure a renamed file could otherwise be empty.
      await handle.datasync();
      await rename(part, pathOf(folder, key));
    } catch (error) {
      await unlink(part).catch(() => undefined);
      throw error;
    } finally {
      await handle.close();
    }
    written += bytes;
    if (written < maxBytes * SHARE_BEFORE_TRIM) return;
    written = 0;
    trims.ask().catch((error: unknown) => warn('cannot remove old images from the cache', error));
  }

  async function read(key: string, client: ImageClient, make: MakeImage): Promise<CachedFile> {
    for (;;) {
      const cached = await openCached(pathOf(folder, key));
      if (cached !== undefined) return cached;
      const compute = () =>
        computations.run(key, client, async (signal) => {
          const begun = performance.now();
          await write(key, make, signal).finally(() => client.spent?.(performance.now() - begun));
        });
      await (client.admitted === undefined ? compute() : client.admitted(compute));
    }
  }
  return { read };
}

const folderOf = (folder: string, key: string) => join(folder, key.slice(0, 2));
const pathOf = (folder: string, key: string) => join(folderOf(folder, key), key);

async function openCached(path: string): Promise<CachedFile | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  const { size } = await handle.stat();
  return { bytes: size, open: () => streamOf(handle), close: () => handle.close() };
}

function streamOf(handle: FileHandle): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES);
        if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead));
        await handle.close();
        controller.close();
      },
      cancel: () => handle.close(),
    },
    { highWaterMark: 0 },
  );
}

/** Removes the oldest files until at most `maxBytes` are left, and the remains of killed processes. */
async function trim(folder: string, maxBytes: number, now: number): Promise<void> {
  const files: { readonly path: string; readonly facts: Stats }[] = [];
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const facts = await statOf(path);
    if (facts === undefined) continue;
    if (entry.name.startsWith(PART)) {
      if (now - facts.mtimeMs > ABANDONED_MS) await remove(path);
      continue;
    }
    files.push({ path, facts });
    bytes += facts.size;
  }
  files.sort((a, b) => a.facts.mtimeMs - b.facts.mtimeMs);
  for (const { path, facts } of files.slice(0, -1)) {
    if (bytes <= maxBytes) return;
    await remove(path);
    bytes -= facts.size;
  }
}

/** Returns undefined for a file that another process has removed. */
async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
}
