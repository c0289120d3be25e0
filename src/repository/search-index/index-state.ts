import { and, count, eq, isNull, lte, max, or, sql } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { CLOCK } from '../../database/database-time.ts';
import { failedGuard } from '../../database/errors.ts';
import { isOrphaned, LEASE_SECONDS, newLease } from '../../database/lease.ts';
import { query } from '../../database/query-builder.ts';
import { nodes } from '../../database/schema/content.ts';
import { searchIndex } from '../../database/schema/search.ts';
import { requireOne } from '../../database/sql.ts';
import { type Named, prepare, statementOf } from '../../database/statement.ts';

/** The state of the index as a whole. */
export interface IndexState {
  /** The version of a complete index; null until the first build is complete. */
  readonly version: string | null;
  /** The version of the unfinished build; null without one. */
  readonly building: string | null;
  readonly position: number;
  readonly lastId: number;
  readonly done: number;
  readonly total: number;
  readonly lease: string | null;
}

const { version, building, position, lastId, done, total, lease, leaseUntil } = searchIndex;
const STATE = { version, building, position, lastId, done, total, lease };
const released = { lease: null, leaseUntil: null };
const renewed = { leaseUntil: sql`${CLOCK} + ${LEASE_SECONDS}` };

const findState = prepare(() => query.select(STATE).from(searchIndex));
const isHeld = (own: string | Named<{ own: string }>['own']) => eq(lease, own);

/** Returns the state of the index. */
export async function readIndexState(database: Database): Promise<IndexState> {
  database.refresh();
  const state = await database.get(findState());
  if (state === undefined) throw new ServiceError('misconfigured', 'The database has no row in search_index.');
  return state;
}

/**
 * Takes the lease of the index, which one process of a repository holds while it builds the index or writes pending
 * nodes. Returns undefined while another process holds it.
 */
export async function takeIndex(database: Database): Promise<string | undefined> {
  const state = await readIndexState(database);
  const orphaned = state.lease !== null && isOrphaned(state.lease) ? state.lease : '';
  const own = newLease();
  const isFree = or(isNull(lease), lte(leaseUntil, CLOCK), eq(lease, orphaned));
  const { taken } = await database.write({
    taken: statementOf(
      query
        .update(searchIndex)
        .set({ lease: own, ...renewed })
        .where(isFree),
    ),
  });
  return taken.changes === 1 ? own : undefined;
}

/** Releases the lease, so that another process may continue at once. */
export async function releaseIndex({ write }: Database, own: string): Promise<void> {
  await write([statementOf(query.update(searchIndex).set(released).where(isHeld(own)))]);
}

/** Extends the lease. Throws `conflict` if another process has taken it over. */
export async function renewIndex(database: Database, own: string): Promise<void> {
  await change(database, own, renewed);
}

/** Begins a build of all present nodes. */
export async function beginBuild(database: Database, own: string, next: string): Promise<IndexState> {
  const last = query.select({ id: sql`coalesce(${max(nodes.id)}, 0)` }).from(nodes);
  const all = query.select({ nodes: count() }).from(nodes);
  await change(database, own, {
    ...{ building: next, position: 0, done: 0, lastId: sql`(${last})`, total: sql`(${all})` },
    ...renewed,
  });
  return readIndexState(database);
}

/** Stores the progress of a build. */
export async function advanceBuild(
  database: Database,
  own: string,
  progress: Pick<IndexState, 'position' | 'done'>,
): Promise<void> {
  await change(database, own, { ...progress, ...renewed });
}

/** Ends a build: the index has its version now. */
export async function endBuild(database: Database, own: string, built: string): Promise<void> {
  await change(database, own, { version: built, building: null, ...renewed });
}

/** Sets the version of the index of a repository without nodes, which needs no build. */
export async function adoptEmptyIndex({ write }: Database, current: string): Promise<void> {
  const isEmpty = sql`NOT EXISTS (SELECT 1 FROM ${nodes})`;
  await write([
    statementOf(
      query
        .update(searchIndex)
        .set({ version: current })
        .where(and(isNull(version), isNull(building), isEmpty)),
    ),
  ]);
}

async function change(
  { write }: Database,
  own: string,
  values: Parameters<ReturnType<typeof query.update<typeof searchIndex>>['set']>[0],
): Promise<void> {
  try {
    await write([statementOf(query.update(searchIndex).set(values).where(isHeld(own))), requireOne('lost')]);
  } catch (error) {
    if (failedGuard(error) !== 'guard_lost') throw error;
    throw new ServiceError('conflict', 'Another process has taken over the search index.');
  }
}
