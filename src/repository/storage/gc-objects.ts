import type { Database } from '../../database/database.ts';
import { isKey } from '../../storage/key.ts';
import type { ListedObject, Storage } from '../../storage/storage.ts';
import { IS_HELD } from '../files/discarded.ts';

/** So many keys are asked about at a time. */
const KEYS_AT_ONCE = 500;

/** Objects of a store, sorted by what the database says of them. */
export interface SortedObjects {
  /** All of them, with those that are too young to be judged. */
  readonly all: readonly ListedObject[];
  /** No row names them. */
  readonly unnamed: readonly ListedObject[];
  /** Noted as discarded already, and not removed yet. */
  readonly noted: readonly ListedObject[];
}

/** All objects of a store, some at a time; those that were made or changed since `before` are not judged. */
export async function* sortObjects(
  database: Database,
  storage: Storage,
  before: Date,
): AsyncGenerator<SortedObjects, void, void> {
  for await (const all of inBatches(storage.list())) {
    const old = all.filter(({ key, modified }) => modified < before && isKey(key));
    database.refresh();
    const { rows } = await database.client.execute({ sql: KNOWN, args: [JSON.stringify(old.map(({ key }) => key))] });
    const named = new Set(rows.filter((row) => row[1] === 1).map((row) => String(row[0])));
    const discarded = new Set(rows.filter((row) => row[2] === 1).map((row) => String(row[0])));
    const unnamed = old.filter(({ key }) => !named.has(key));
    yield {
      all,
      unnamed: unnamed.filter(({ key }) => !discarded.has(key)),
      noted: unnamed.filter(({ key }) => discarded.has(key)),
    };
  }
}

const KNOWN = `SELECT value, EXISTS (SELECT 1 FROM file WHERE storage_key = value),
  EXISTS (SELECT 1 FROM discarded_object WHERE storage_key = value) FROM json_each(?)`;

/**
 * Those of the keys that nothing names now, neither a row nor a note; undefined while objects are held. Asked as a write,
 * so that no replica answers that is behind.
 */
export async function stillUnnamed(
  { write }: Database,
  keys: readonly string[],
): Promise<ReadonlySet<string> | undefined> {
  const [holds, known] = await write([
    { sql: IS_HELD, args: [] },
    { sql: KNOWN, args: [JSON.stringify(keys)] },
  ]);
  if (holds === undefined || known === undefined || holds.rows.length > 0) return undefined;
  return new Set(known.rows.filter((row) => row[1] === 0 && row[2] === 0).map((row) => String(row[0])));
}

async function* inBatches(objects: AsyncIterable<ListedObject>): AsyncGenerator<ListedObject[], void, void> {
  let batch: ListedObject[] = [];
  for await (const object of objects) {
    batch.push(object);
    if (batch.length < KEYS_AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
