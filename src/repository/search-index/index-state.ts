import { and, count, eq, isNull, max, sql } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { nodes } from '../../database/schema/content.ts';
import { searchIndex } from '../../database/schema/search.ts';
import { prepare, statementOf } from '../../database/statement.ts';
import { changeHeld, isFree, newLease, orphansAmong, RELEASED, RENEWED } from '../../runs/lease.ts';

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

const { version, building, position, lastId, done, total, lease } = searchIndex;
const STATE = { version, building, position, lastId, done, total, lease };

const findState = prepare(() => query.select(STATE).from(searchIndex));
const isHeld = (own: string) => eq(lease, own);

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
  const orphaned = orphansAmong([await readIndexState(database)]);
  const own = newLease();
  const taking = query.update(searchIndex).set({ lease: own, ...RENEWED });
  const { taken } = await database.write({ taken: statementOf(taking.where(isFree(searchIndex, orphaned))) });
  return taken.changes === 1 ? own : undefined;
}

/** Releases the lease, so that another process may continue at once. */
export async function releaseIndex({ write }: Database, own: string): Promise<void> {
  await write([statementOf(query.update(searchIndex).set(RELEASED).where(isHeld(own)))]);
}

/** Extends the lease. Throws `conflict` if another process has taken it over. */
export async function renewIndex(database: Database, own: string): Promise<void> {
  await change(database, own, RENEWED);
}

/** Begins a build of all present nodes. */
export async function beginBuild(database: Database, own: string, next: string): Promise<IndexState> {
  const last = query.select({ id: sql`coalesce(${max(nodes.id)}, 0)` }).from(nodes);
  const all = query.select({ nodes: count() }).from(nodes);
  await change(database, own, {
    ...{ building: next, position: 0, done: 0, lastId: sql`(${last})`, total: sql`(${all})` },
    ...RENEWED,
  });
  return readIndexState(database);
}

/** Stores the progress of a build. */
export async function advanceBuild(
  database: Database,
  own: string,
  progress: Pick<IndexState, 'position' | 'done'>,
): Promise<void> {
  await change(database, own, { ...progress, ...RENEWED });
}

/** Ends a build: the index has its version now. */
export async function endBuild(database: Database, own: string, built: string): Promise<void> {
  await change(database, own, { version: built, building: null, ...RENEWED });
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

function change(
  database: Database,
  own: string,
  values: Parameters<ReturnType<typeof query.update<typeof searchIndex>>['set']>[0],
): Promise<void> {
  const changing = statementOf(query.update(searchIndex).set(values).where(isHeld(own)));
  return changeHeld(database, 'Another process has taken over the search index.', changing);
}
