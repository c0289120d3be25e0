import { count } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { searchPending } from '../../database/schema/search.ts';
import { prepare } from '../../database/statement.ts';
import { findPending, removePending } from '../pending-nodes.ts';
import type { SearchServices } from './search-services.ts';
import { writeSlice } from './write-slice.ts';

/** The number of pending nodes that a change writes before it is answered, so that a small change is found at once. */
const FIRST_SLICE = 200;

/**
 * Writes the first pending nodes after a change that concerns many, and leaves the others to the background. A failure
 * is reported, not thrown: the change has succeeded, and pending nodes stay pending.
 */
export async function writePending(services: SearchServices): Promise<void> {
  try {
    await writePendingSlice(services, FIRST_SLICE);
    // Others may be pending, or become so by the removal of a term.
    services.search.wake();
  } catch (error) {
    services.warn('the search index could not be written; it will be tried again', error);
    services.search.wake();
  }
}

/** Writes at most `limit` pending nodes. Returns their number, and true if others may be left. */
export async function writePendingSlice(
  services: SearchServices,
  limit: number,
): Promise<{ readonly written: number; readonly left: boolean }> {
  const { database } = services;
  const pending = await database.all(findPending({ limit }));
  const versions = new Map(pending.map((each) => [each.nid, each]));
  const failed = await writeSlice(services, [...versions.keys()], {
    readsFiles: (nid) => versions.get(nid)?.readsFiles ?? false,
    isForced: false,
    along: (nid) => [removePending({ nid, version: versions.get(nid)?.version ?? 0 })],
  });
  return { written: pending.length - failed.length, left: pending.length === limit || failed.length > 0 };
}

const countAll = prepare(() => query.select({ nodes: count() }).from(searchPending));

/** Returns the number of nodes that are still to be indexed again. */
export async function countPending(database: Database): Promise<number> {
  return (await database.get(countAll()))?.nodes ?? 0;
}
