import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.ts';
import { forEachAtOnce } from '../../base/for-each-at-once.ts';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { prepare } from '../../database/statement.ts';
import type { Services } from '../../repository/content/services.ts';
import { findObjectHold } from '../../repository/files/discarded.ts';
import type { UnreferencedFile } from '../../repository/files/find-named-files.ts';
import type { Scheme } from '../../repository/files/scheme.ts';
import { removeAllExpiredUploads } from '../../repository/uploads/remove-uploads.ts';
import type { ListedObject } from '../../storage/storage.ts';
import {
  findFileWithDamagedKey,
  findTemporaries,
  removeTemporaries,
  sortObjects,
  stillUnnamed,
  type TemporaryFile,
} from './find-unused.ts';
import { countAllFiles, findUnreferenced, removeUnreferenced } from './unreferenced-files.ts';

/** Maximum number of concurrent removals. */
const MAX_REMOVALS = 8;
/** Maximum number of noted objects that one run removes; later runs find the others. */
const MAX_TAKEN_UP = 10_000;
/** If more than this share of a store is unused, the store more likely belongs to another repository. */
const MAX_SHARE = 0.5;
/** The share counts from this number of files without references. */
const MIN_SUSPECT_FILES = 100;

/** A number of entries and the sum of their bytes. */
interface Amount {
  readonly count: number;
  readonly bytes: number;
}

/** The unused objects of a store. */
export interface StoreGarbage {
  readonly store: string;
  readonly all: Amount;
  /** Objects without a row. */
  readonly unnamed: Amount;
  /** Objects that are noted as discarded; the process that discarded them removes them. */
  readonly noted: Amount;
  /** Unfinished uploads. */
  readonly unfinished: number;
}

/** The unused or, after a removal, the removed objects and files. */
export interface Garbage {
  readonly stores: readonly StoreGarbage[];
  /** Files that were uploaded and never used. Their rows are removed with their bytes. */
  readonly temporaries: Amount;
  /** Files that have lost all references. Their rows are removed with their bytes. */
  readonly unreferenced: Amount;
}

/** An unused object, upload or file. */
export interface GarbageItem {
  readonly kind: 'object' | 'upload' | 'file' | 'unreferenced';
  readonly store: string;
  readonly name: string;
  readonly bytes: number | undefined;
}

export interface GcOptions {
  /** Skips entries that changed within this time. */
  readonly olderThanSeconds: number;
  /** Skips files that had a reference, or changed, within this time. */
  readonly unreferencedForSeconds: number;
  readonly signal: AbortSignal;
  /** Called after every batch with the sums of a store so far. */
  readonly onProgress?: ((garbage: StoreGarbage) => void) | undefined;
  /** Called for each entry that was found or removed. */
  readonly onFound?: ((item: GarbageItem) => void) | undefined;
}

/** Finds objects without a row, unfinished uploads and unused files. Removes nothing. */
export function findGarbage(services: Services, options: GcOptions): Promise<Garbage> {
  return collect(services, options, {
    objects: async (_store, objects) => objects,
    upload: async () => {},
    noted: () => {},
    temporaries: async (files) => files,
    unreferenced: async (files) => files,
  });
}

const findAnyFile = prepare(() => query.select({ id: files.id }).from(files).limit(1));

/** Returns why database and stores seem not to belong together, as a sentence; undefined if they do. */
export async function findDoubt(services: Services, { stores, unreferenced }: Garbage): Promise<string | undefined> {
  const { database } = services;
  const objects = stores.reduce((sum, { all }) => sum + all.count, 0);
  if (objects > 0 && (await database.get(findAnyFile())) === undefined)
    return `The database has no files, but the stores hold objects: ${objects}.`;
  const suspect = stores.find(({ all, unnamed }) => unnamed.count > all.count * MAX_SHARE);
  if (suspect === undefined) return doubtOfFiles(unreferenced.count, await countAllFiles(services));
  const { store, all, unnamed } = suspect;
  return `${unnamed.count} of ${all.count} objects in ${store} belong to no file: that is more than half.`;
}

function doubtOfFiles(unreferenced: number, total: number): string | undefined {
  if (unreferenced < MIN_SUSPECT_FILES || unreferenced <= total * MAX_SHARE) return undefined;
  return `${unreferenced} of ${total} files have no references: that is more than half.`;
}

/**
 * Removes what `findGarbage` finds, and returns what was removed. Checks each object again just before: one that has a
 * row by then stays. Throws `conflict` while a backup holds objects, and for a doubt of `findDoubt` unless `isSure`. The
 * next run continues after a failure.
 */
export async function removeGarbage(services: Services, options: GcOptions, isSure: boolean): Promise<Garbage> {
  services.database.refresh();
  if ((await services.database.get(findObjectHold())) !== undefined)
    throw held('A backup is under way, or was killed a few minutes ago');
  const damaged = await findFileWithDamagedKey(services.database);
  if (damaged !== undefined)
    throw new ServiceError(
      'conflict',
      `The file ${damaged} has a damaged key in the database, so that its bytes would count as unused. Nothing was removed. Find the damage with: repo storage verify --database`,
    );
  const { signal, olderThanSeconds, unreferencedForSeconds } = options;
  const doubt = isSure
    ? undefined
    : await findDoubt(services, await findGarbage(services, { signal, olderThanSeconds, unreferencedForSeconds }));
  if (doubt !== undefined)
    throw new ServiceError(
      'conflict',
      `${doubt} Is this the right database for these stores? Nothing was removed; if it is, add --force.`,
    );
  await removeAllExpiredUploads(services);
  let takenUp = 0;
  return collect(services, options, {
    objects: (scheme, objects) => removeObjects(services, scheme, objects),
    upload: (remove) => remove(),
    noted(store, key) {
      if (takenUp++ < MAX_TAKEN_UP) services.discards.add(store, key);
    },
    temporaries: (files, before) => removeTemporaries(services, files, before),
    unreferenced: (files, before) => removeUnreferenced(services, files, before),
  });
}

/** The operations of a run on the entries that it finds. Each member returns the entries that it has processed. */
interface Actions {
  objects(scheme: Scheme, objects: readonly ListedObject[]): Promise<readonly ListedObject[]>;
  upload(remove: () => Promise<void>): Promise<void>;
  noted(store: string, key: string): void;
  temporaries(files: readonly TemporaryFile[], before: number): Promise<readonly TemporaryFile[]>;
  unreferenced(files: readonly UnreferencedFile[], before: number): Promise<readonly UnreferencedFile[]>;
}

async function collect(services: Services, options: GcOptions, actions: Actions): Promise<Garbage> {
  const before = new Date(Date.now() - options.olderThanSeconds * 1_000);
  const stores: StoreGarbage[] = [];
  for (const scheme of services.schemes.values())
    stores.push(await collectStore(services, scheme, before, options, actions));
  const seconds = Math.floor(before.getTime() / 1_000);
  let temporaries: Amount = { count: 0, bytes: 0 };
  for await (const batch of findTemporaries(services, seconds)) {
    options.signal.throwIfAborted();
    const done = await actions.temporaries(batch, seconds);
    temporaries = add(temporaries, done);
    reportFiles(options, 'file', done);
  }
  const lostBefore = Math.floor(Date.now() / 1_000) - options.unreferencedForSeconds;
  const lost = await findUnreferenced(services, lostBefore, options.signal);
  const done = await actions.unreferenced(lost, lostBefore);
  reportFiles(options, 'unreferenced', done);
  return { stores, temporaries, unreferenced: add({ count: 0, bytes: 0 }, done) };
}

function reportFiles({ onFound }: GcOptions, kind: GarbageItem['kind'], files: readonly TemporaryFile[]): void {
  for (const { uri, bytes } of files) onFound?.({ kind, store: uri.slice(0, uri.indexOf(':')), name: uri, bytes });
}

async function collectStore(
  { database }: Services,
  scheme: Scheme,
  before: Date,
  { signal, onProgress, onFound }: GcOptions,
  actions: Actions,
): Promise<StoreGarbage> {
  const { name: store, storage } = scheme;
  const nothing = { count: 0, bytes: 0 };
  let garbage: StoreGarbage = { store, all: nothing, unnamed: nothing, noted: nothing, unfinished: 0 };
  for await (const { all, unnamed, noted } of sortObjects(database, storage, before)) {
    signal.throwIfAborted();
    const done = unnamed.length === 0 ? [] : await actions.objects(scheme, unnamed);
    for (const { key } of noted) actions.noted(store, key);
    for (const { key, bytes } of done) onFound?.({ kind: 'object', store, name: key, bytes });
    garbage = {
      ...garbage,
      all: add(garbage.all, all),
      unnamed: add(garbage.unnamed, done),
      noted: add(garbage.noted, noted),
    };
    onProgress?.(garbage);
    // Reads of a local store and database never yield: without this, timers and signals would starve.
    await setImmediate();
  }
  for await (const { name, remove } of storage.listUnfinished(before)) {
    signal.throwIfAborted();
    await actions.upload(remove);
    onFound?.({ kind: 'upload', store, name, bytes: undefined });
    garbage = { ...garbage, unfinished: garbage.unfinished + 1 };
  }
  onProgress?.(garbage);
  return garbage;
}

/** Removes objects that still have no row. Throws `conflict` if a backup has begun. */
async function removeObjects(
  { database }: Services,
  { storage }: Scheme,
  objects: readonly ListedObject[],
): Promise<readonly ListedObject[]> {
  const unnamed = await stillUnnamed(
    database,
    objects.map(({ key }) => key),
  );
  if (unnamed === undefined) throw held('A backup has begun');
  const removed = objects.filter(({ key }) => unnamed.has(key));
  await forEachAtOnce(removed, MAX_REMOVALS, ({ key }) => storage.remove(key));
  return removed;
}

function add({ count, bytes }: Amount, objects: readonly { readonly bytes: number }[]): Amount {
  return { count: count + objects.length, bytes: objects.reduce((sum, each) => sum + each.bytes, bytes) };
}

function held(why: string): ServiceError {
  return new ServiceError('conflict', `${why}: nothing that it may need is removed until it is done. Try again later.`);
}
