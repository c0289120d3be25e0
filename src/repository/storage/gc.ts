import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../../base/errors.ts';
import type { ListedObject } from '../../storage/storage.ts';
import type { Scheme, Services } from '../services.ts';
import { sortObjects, stillUnnamed } from './gc-objects.ts';
import { findHold, held, judgeGarbage } from './gc-refusal.ts';
import { findTemporaries, removeTemporaries, type TemporaryFile } from './gc-temporaries.ts';

/** So many objects are removed at a time. */
const MAX_REMOVALS = 8;
/** So many objects that are noted already are taken up by one run; the next ones find the rest. */
const MAX_TAKEN_UP = 10_000;

/** So many things with so many bytes. */
export interface Amount {
  readonly count: number;
  readonly bytes: number;
}

/** What a store holds that nothing needs. */
export interface StoreGarbage {
  readonly store: string;
  readonly all: Amount;
  /** Objects that no row names. */
  readonly unnamed: Amount;
  /** Objects that were discarded, and are removed by whoever has discarded them. */
  readonly noted: Amount;
  /** What uploads have left that were never finished. */
  readonly unfinished: number;
}

/** What there is that nothing needs, or what was removed of it. */
export interface Garbage {
  readonly stores: readonly StoreGarbage[];
  /** Files that were uploaded and never used, whose rows go with their bytes. */
  readonly temporaries: Amount;
}

/** One thing that nothing needs. */
export interface FoundGarbage {
  readonly kind: 'object' | 'upload' | 'file';
  readonly store: string;
  readonly name: string;
  readonly bytes: number | undefined;
}

export interface GcOptions {
  /** Only what nobody has touched for so long. */
  readonly olderThanSeconds: number;
  readonly signal: AbortSignal;
  /** Called after every batch, with what was found or removed in a store until then. */
  readonly onProgress?: ((garbage: StoreGarbage) => void) | undefined;
  /** Called for everything that is found, or was removed. */
  readonly onFound?: ((found: FoundGarbage) => void) | undefined;
}

/** Finds what nothing needs: objects without a row, unfinished uploads and unused files. Removes nothing. */
export function findGarbage(services: Services, options: GcOptions): Promise<Garbage> {
  return collect(services, options, {
    objects: async (_store, objects) => objects,
    upload: async () => {},
    noted: () => {},
    temporaries: async (files) => files,
  });
}

/** Why what was found must not be removed without further thought, in a sentence; undefined if it may. */
export async function findDoubt({ database }: Services, { stores }: Garbage): Promise<string | undefined> {
  return judgeGarbage(stores, (await database.first('SELECT 1 FROM file LIMIT 1', [])) !== undefined);
}

/**
 * Removes what `findGarbage` finds, and answers what was removed. What is an object is asked about again right before;
 * what has a row by then stays. Throws `conflict` while a backup holds objects, and for a doubt of `findDoubt` unless
 * `isSure`; what was removed until then is gone, and the next run goes on.
 */
export async function removeGarbage(services: Services, options: GcOptions, isSure: boolean): Promise<Garbage> {
  const hold = await findHold(services.database);
  if (hold !== undefined) throw hold;
  const { signal, olderThanSeconds } = options;
  const doubt = isSure
    ? undefined
    : await findDoubt(services, await findGarbage(services, { signal, olderThanSeconds }));
  if (doubt !== undefined)
    throw new ServiceError(
      'conflict',
      `${doubt} Is this the right database for these stores? Nothing was removed; if it is, add --force.`,
    );
  let takenUp = 0;
  return collect(services, options, {
    objects: (scheme, objects) => removeObjects(services, scheme, objects),
    upload: (remove) => remove(),
    noted(store, key) {
      if (takenUp++ < MAX_TAKEN_UP) services.discards.add(store, key);
    },
    temporaries: (files, before) => removeTemporaries(services, files, before),
  });
}

/** What is done with what was found; answers what it was done with. */
interface Actions {
  objects(scheme: Scheme, objects: readonly ListedObject[]): Promise<readonly ListedObject[]>;
  upload(remove: () => Promise<void>): Promise<void>;
  noted(store: string, key: string): void;
  temporaries(files: readonly TemporaryFile[], before: number): Promise<readonly TemporaryFile[]>;
}

async function collect(services: Services, options: GcOptions, actions: Actions): Promise<Garbage> {
  const before = new Date(Date.now() - options.olderThanSeconds * 1_000);
  const stores: StoreGarbage[] = [];
  for (const scheme of services.schemes.values())
    stores.push(await collectStore(services, scheme, before, options, actions));
  const seconds = Math.floor(before.getTime() / 1_000);
  let temporaries: Amount = { count: 0, bytes: 0 };
  for await (const found of findTemporaries(services, seconds)) {
    options.signal.throwIfAborted();
    const done = await actions.temporaries(found, seconds);
    temporaries = add(temporaries, done);
    for (const { uri, bytes } of done)
      options.onFound?.({ kind: 'file', store: uri.slice(0, uri.indexOf(':')), name: uri, bytes });
  }
  return { stores, temporaries };
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
    // A local store and a local database are read without a pause: nobody else would have a turn.
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

/** Throws `conflict` when a backup has begun. */
async function removeObjects(
  { database }: Services,
  { storage }: Scheme,
  objects: readonly ListedObject[],
): Promise<readonly ListedObject[]> {
  const unnamed = await stillUnnamed(
    database,
    objects.map(({ key }) => key),
  );
  if (unnamed === undefined) throw held();
  const going = objects.filter(({ key }) => unnamed.has(key));
  let next = 0;
  const remover = async () => {
    while (next < going.length) await storage.remove((going[next++] as ListedObject).key);
  };
  await Promise.all(Array.from({ length: MAX_REMOVALS }, remover));
  return going;
}

function add({ count, bytes }: Amount, found: readonly { readonly bytes: number }[]): Amount {
  return { count: count + found.length, bytes: found.reduce((sum, each) => sum + each.bytes, bytes) };
}
