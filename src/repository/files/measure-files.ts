import { count, eq, sql } from 'drizzle-orm';
import { readAvFacts } from '../../base/av/read-av-facts.ts';
import { Cache } from '../../base/cache.ts';
import { forEachAtOnce } from '../../base/for-each-at-once.ts';
import type { ReadAt } from '../../base/images/byte-source.ts';
import { createImageSizer, HEAD_BYTES } from '../../base/images/image-size.ts';
import { madeOnce } from '../../base/made-once.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { discardedObjects } from '../../database/schema/system.ts';
import { prepare } from '../../database/statement.ts';
import type { BaseServices } from '../base-services.ts';
import { type Schemes, type StoredFile, storageOf } from './scheme.ts';

/** Facts of a picture, audio or video that are read from its bytes. Members that cannot be read are undefined. */
export interface Measurements {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly seconds?: number | undefined;
}

/** A stored file to measure. */
interface MeasurableFile extends StoredFile {
  readonly id: number;
  readonly mimeType: string;
  readonly bytes: number;
  readonly storageKey: string;
}

type MeasuringServices = BaseServices & Schemes;

/** Number of files that a request measures at the same time. */
const AT_ONCE = 8;
const MAX_BYTES = 2 * 1024 * 1024;
const ENTRY_BYTES = 60;

/** Results by storage key, for the lifetime of the process: an object never changes. */
const measuresOf = madeOnce(
  (_: MeasuringServices) => new Cache<Measurements>({ maxBytes: MAX_BYTES, bytesOf: () => ENTRY_BYTES }),
);

/**
 * Measures files by reading their headers from the storage. Returns the facts by file id. A file without readable facts has
 * none; a file that cannot be read is reported and has none either.
 */
export async function measureFiles(
  services: MeasuringServices,
  files: readonly MeasurableFile[],
): Promise<ReadonlyMap<number, Measurements>> {
  const cache = measuresOf(services);
  const measures = new Map<number, Measurements>();
  await forEachAtOnce(files, AT_ONCE, async (file) => {
    const known = cache.get(file.storageKey);
    const measured = known ?? (await measure(services, file));
    if (measured === undefined) return;
    if (known === undefined) cache.set(file.storageKey, measured);
    measures.set(file.id, measured);
  });
  return measures;
}

/** Returns the facts of a file. Undefined if it cannot be read, which may be temporary. */
async function measure(services: MeasuringServices, file: MeasurableFile): Promise<Measurements | undefined> {
  try {
    const readAt = readerOf(services, file);
    if (file.mimeType.startsWith('image/')) return await imageFacts(readAt);
    return await readAvFacts({ mimeType: file.mimeType, bytes: file.bytes, readAt });
  } catch (error) {
    services.warn(`the size of ${file.uri} could not be read`, error);
    return undefined;
  }
}

async function imageFacts(readAt: ReadAt): Promise<Measurements> {
  const sizer = createImageSizer();
  sizer.push(await readAt(0, HEAD_BYTES));
  return (await sizer.result(readAt)) ?? {};
}

/** Returns a function that reads ranges of a stored file. */
function readerOf(services: MeasuringServices, file: MeasurableFile): ReadAt {
  const { storage } = storageOf(services, file);
  return async (offset, length) => {
    if (offset >= file.bytes || length <= 0) return new Uint8Array(0);
    const range = { first: offset, last: Math.min(offset + length, file.bytes) - 1 };
    return new Response(await storage.read(file.storageKey, range)).bytes();
  };
}

const countTemporary = prepare(() =>
  query
    .select({ files: count(), bytes: sql<number>`coalesce(sum(${files.filesize}), 0)` })
    .from(files)
    .where(eq(files.status, false)),
);
const countDiscarded = prepare(() => query.select({ objects: count() }).from(discardedObjects));

/** Files and objects that nothing uses. */
export interface UnusedCounts {
  /** Files without references: uploaded and never used, or no longer used. */
  readonly files: number;
  readonly bytes: number;
  /** Objects of removed files that are still to be deleted. */
  readonly discarded: number;
}

/** Counts temporary files and discarded objects. Reads all rows of files. */
export async function countUnusedFiles({ read }: Database): Promise<UnusedCounts> {
  const { temporary, discarded } = await read({ temporary: countTemporary(), discarded: countDiscarded() });
  const { files = 0, bytes = 0 } = temporary[0] ?? {};
  return { files, bytes, discarded: discarded[0]?.objects ?? 0 };
}
