import { and, asc, count, eq, gt, lt, ne, notExists, or, sql } from 'drizzle-orm';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { references } from '../../database/schema/references.ts';
import { discardedObjects } from '../../database/schema/system.ts';
import { isAmong, namesOf } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { Services } from '../../repository/content/services.ts';
import { findNamedFiles, type UnreferencedFile } from '../../repository/files/find-named-files.ts';
import { GENERIC_ICON_URI } from '../../repository/files/generic-icon.ts';
import { storeOfRow } from '../../repository/files/stored-files.ts';
import { refersTo } from '../../repository/relations.ts';

/** Maximum number of rows of a query, and of files of a removal. */
const BATCH = 500;

/** `archives`: the names of the schemes whose files are never removed, as a JSON list. */
type Old = { readonly before: number; readonly archives: string };

const schemeOfRow = sql<string>`substr(${files.uri}, 1, instr(${files.uri}, '://') - 1)`;

/** The condition that a file was used, has had no reference since a time (seconds since 1970), and is in no archive. */
const isUnreferenced = ({ before, archives }: Named<Old>) =>
  and(
    eq(files.status, true),
    lt(files.changed, before),
    lt(sql`coalesce(${files.released}, 0)`, before),
    ne(files.uri, GENERIC_ICON_URI),
    sql`NOT ${or(isAmong(storeOfRow, archives), isAmong(schemeOfRow, archives))}`,
    notExists(
      query
        .select({ id: references.sourceId })
        .from(references)
        .where(refersTo(references, 'file', files.id)),
    ),
  );
const facts = { id: files.id, uuid: files.uuid, uri: files.uri, bytes: files.filesize };
const findPage = prepare((named: Named<Old & { after: number }>) =>
  query
    .select(facts)
    .from(files)
    .where(and(gt(files.id, named.after), isUnreferenced(named)))
    .orderBy(asc(files.id))
    .limit(BATCH),
);
type Listed = Named<Old & { ids: string }>;
const isListed = (listed: Listed) => and(isAmong(files.id, listed.ids), isUnreferenced(listed));
const discardObjects = prepare((listed: Listed) =>
  plain(
    sql`INSERT INTO ${discardedObjects} (${namesOf(discardedObjects.storageKey, discardedObjects.scheme)})
      SELECT ${files.storageKey}, ${storeOfRow} FROM ${files} WHERE ${isListed(listed)}`,
  ),
);
const removeRows = prepare((listed: Listed) =>
  query
    .delete(files)
    .where(isListed(listed))
    .returning({ ...facts, storageKey: files.storageKey, store: storeOfRow }),
);
const countFiles = prepare(() => query.select({ total: count() }).from(files));

function old({ schemes }: Services, before: number): Old {
  const archives = [...schemes.values()].filter(({ isArchive }) => isArchive).map(({ name }) => name);
  return { before, archives: JSON.stringify(archives) };
}

/**
 * Returns the files that have had no reference since a time (seconds since 1970), that no earlier revision names and no text
 * embeds. Their facts are in memory. Throws the reason of the signal.
 */
export async function findUnreferenced(
  services: Services,
  before: number,
  signal: AbortSignal,
): Promise<readonly UnreferencedFile[]> {
  const { database } = services;
  const candidates: UnreferencedFile[] = [];
  for (let after = 0, length = BATCH; length === BATCH; ) {
    signal.throwIfAborted();
    const batch = await database.all(findPage({ ...old(services, before), after }));
    candidates.push(...batch);
    after = batch.at(-1)?.id ?? after;
    length = batch.length;
  }
  if (candidates.length === 0) return candidates;
  const named = await findNamedFiles(database, candidates, signal);
  return candidates.filter(({ id }) => !named.has(id));
}

/**
 * Removes those of the files that still have no reference: the rows, then, after a grace period, their bytes. Returns the
 * removed files: another process may have removed some.
 */
export async function removeUnreferenced(
  services: Services,
  listed: readonly UnreferencedFile[],
  before: number,
): Promise<readonly UnreferencedFile[]> {
  const removed: UnreferencedFile[] = [];
  for (let start = 0; start < listed.length; start += BATCH) {
    const ids = JSON.stringify(listed.slice(start, start + BATCH).map(({ id }) => id));
    const named = { ...old(services, before), ids };
    const { rows } = await services.database.write({ noted: discardObjects(named), rows: removeRows(named) });
    for (const { store, storageKey } of rows) services.discards.add(store, storageKey);
    removed.push(...rows);
  }
  return removed;
}

/** Returns the number of all files. */
export async function countAllFiles({ database }: Services): Promise<number> {
  return (await database.get(countFiles()))?.total ?? 0;
}
