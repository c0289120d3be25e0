import { and, asc, eq, exists, gt, lt, notExists, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { references } from '../../database/schema/references.ts';
import { discardedObjects } from '../../database/schema/system.ts';
import { uploadParts } from '../../database/schema/uploads.ts';
import { isAmong, namesOf } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { Services } from '../../repository/content/services.ts';
import { findObjectHold } from '../../repository/files/discarded.ts';
import { storeOfRow } from '../../repository/files/stored-files.ts';
import { refersTo } from '../../repository/relations.ts';
import { isKey, KEY_CHARS } from '../../storage/key.ts';
import type { ListedObject, Storage } from '../../storage/storage.ts';

/** Maximum number of keys or rows in one query. */
const BATCH = 500;

/** A batch of objects of a store, classified by the database. */
interface SortedObjects {
  /** All objects of the batch, with those that are too recent to be classified. */
  readonly all: readonly ListedObject[];
  /** Objects without a row. */
  readonly unnamed: readonly ListedObject[];
  /** Objects that are noted as discarded and not removed yet. */
  readonly noted: readonly ListedObject[];
}

/** A file that was uploaded and never used. */
export interface TemporaryFile {
  readonly id: number;
  readonly uri: string;
  readonly bytes: number;
}

const value = sql<string>`value`;
const findKnown = prepare(({ keys }: Named<{ keys: string }>) => {
  const isOfFile = exists(query.select({ id: files.id }).from(files).where(eq(files.storageKey, value)));
  const part = query.select({ id: uploadParts.uploadId }).from(uploadParts).where(eq(uploadParts.storageKey, value));
  const hasRow = sql`(${isOfFile} OR ${exists(part)})`;
  const { storageKey } = discardedObjects;
  const hasNote = exists(query.select({ storageKey }).from(discardedObjects).where(eq(storageKey, value)));
  return plain(sql`SELECT ${value}, ${hasRow}, ${hasNote} FROM json_each(${keys})`, {
    key: value,
    isNamed: sql<number>`${hasRow}`,
    isNoted: sql<number>`${hasNote}`,
  });
});

/** A key as `newKey` makes them, in SQL. */
const findDamagedKey = prepare(() =>
  query
    .select({ id: files.id })
    .from(files)
    .where(sql`length(${files.storageKey}) <> ${sql.raw(String(KEY_CHARS))} OR ${files.storageKey} GLOB '*[^0-9a-f/]*'`)
    .limit(1),
);

/** Returns the id of a file whose key of the store is damaged, so that its object would count as unused. */
export async function findFileWithDamagedKey(database: Database): Promise<number | undefined> {
  return (await database.get(findDamagedKey()))?.id;
}

/** Returns all objects of a store in batches. Classifies only objects from before a time. */
export async function* sortObjects(
  database: Database,
  storage: Storage,
  before: Date,
): AsyncGenerator<SortedObjects, void, void> {
  for await (const all of inBatches(storage.list())) {
    const old = all.filter(({ key, modified }) => modified < before && isKey(key));
    database.refresh();
    const known = await database.all(findKnown({ keys: JSON.stringify(old.map(({ key }) => key)) }));
    const facts = new Map(known.map((each) => [each.key, each]));
    const unnamed = old.filter(({ key }) => facts.get(key)?.isNamed !== 1);
    yield {
      all,
      unnamed: unnamed.filter(({ key }) => facts.get(key)?.isNoted !== 1),
      noted: unnamed.filter(({ key }) => facts.get(key)?.isNoted === 1),
    };
  }
}

/**
 * Returns the keys that still have neither a row nor a note; undefined while a backup holds objects. Reads in a write,
 * since a replica may be behind.
 */
export async function stillUnnamed(
  { write }: Database,
  keys: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const { holds, known } = await write({ holds: findObjectHold(), known: findKnown({ keys: JSON.stringify(keys) }) });
  if (holds.length > 0) return undefined;
  return new Set(known.filter(({ isNamed, isNoted }) => isNamed === 0 && isNoted === 0).map(({ key }) => key));
}

async function* inBatches(objects: AsyncIterable<ListedObject>): AsyncGenerator<ListedObject[], void, void> {
  let batch: ListedObject[] = [];
  for await (const object of objects) {
    batch.push(object);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

const temporary = { id: files.id, uri: files.uri, bytes: files.filesize };

/** The condition that a file has no references and has not changed since a time. */
const isUnused = ({ before }: Named<{ before: number }>) =>
  and(
    eq(files.status, false),
    lt(files.changed, before),
    notExists(
      query
        .select({ id: references.sourceId })
        .from(references)
        .where(refersTo(references, 'file', files.id)),
    ),
  );
type KeyList = Named<{ ids: string; before: number }>;
const isListed = (listed: KeyList) => and(isAmong(files.id, listed.ids), isUnused(listed));

const findUnused = prepare((named: Named<{ after: number; before: number }>) =>
  query
    .select(temporary)
    .from(files)
    .where(and(gt(files.id, named.after), isUnused(named)))
    .orderBy(asc(files.id))
    .limit(BATCH),
);
const discardObjects = prepare((listed: KeyList) =>
  plain(
    sql`INSERT INTO ${discardedObjects} (${namesOf(discardedObjects.storageKey, discardedObjects.scheme)})
      SELECT ${files.storageKey}, ${storeOfRow} FROM ${files} WHERE ${isListed(listed)}`,
  ),
);
const removeUnused = prepare((listed: KeyList) =>
  query
    .delete(files)
    .where(isListed(listed))
    .returning({ ...temporary, storageKey: files.storageKey, store: storeOfRow }),
);

/** Returns files without references that have not changed since a time (seconds since 1970), in batches. */
export async function* findTemporaries(
  { database }: Services,
  before: number,
): AsyncGenerator<readonly TemporaryFile[], void, void> {
  for (let after = 0, count = BATCH; count === BATCH; ) {
    const batch = await database.all(findUnused({ after, before }));
    if (batch.length > 0) yield batch;
    after = batch.at(-1)?.id ?? after;
    count = batch.length;
  }
}

/**
 * Removes the rows of files that are still unused, then, after a grace period, their bytes. Returns the removed files.
 */
export async function removeTemporaries(
  { database, discards }: Services,
  files: readonly TemporaryFile[],
  before: number,
): Promise<readonly TemporaryFile[]> {
  const listed = { ids: JSON.stringify(files.map(({ id }) => id)), before };
  const { removed } = await database.write({ noted: discardObjects(listed), removed: removeUnused(listed) });
  for (const { store, storageKey } of removed) discards.add(store, storageKey);
  return removed;
}
