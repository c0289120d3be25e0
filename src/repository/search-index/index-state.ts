import { and, count, isNull, max, type SQL, sql } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { nodes } from '../../database/schema/content.ts';
import { runs } from '../../database/schema/runs.ts';
import { searchIndex } from '../../database/schema/search.ts';
import { isText } from '../../database/sql.ts';
import { type Named, prepare, statementOf } from '../../database/statement.ts';
import { type Lease, runsOf } from '../../runs/runs.ts';

/** How far a build is. */
interface BuildPosition {
  /** The last written node, and the last node when the build began. */
  readonly position: number;
  readonly lastId: number;
  /** The number of nodes that the build has written, and the number when it began. */
  readonly done: number;
  readonly total: number;
}

/** The state of the index as a whole. */
export interface IndexState extends BuildPosition {
  /** The version of a complete index; null until the first build is complete. */
  readonly version: string | null;
  /** The version of the unfinished build; null without one. */
  readonly building: string | null;
  /** True while a process builds the index or writes pending nodes. */
  readonly isUnderWay: boolean;
}

/** The one run of the index, which is never removed: it runs while a build is unfinished. */
const indexRuns = runsOf<{ readonly version: string | null }, BuildPosition>('index', 'search index');

/** The condition that a run is an unfinished build. */
export const IS_BUILD = and(indexRuns.isOfKind, isText(runs.state, 'running'));
/** The columns of the counts of a build. */
export const BUILD_COUNTS = {
  done: sql<number>`${runs.progress} ->> 'done'`,
  total: sql<number>`${runs.progress} ->> 'total'`,
};

/** The counts of the unfinished build as a JSON object, a field of a query; null without a build. */
export const BUILD: SQL<string | null> =
  sql`(SELECT json_object('done', ${BUILD_COUNTS.done}, 'total', ${BUILD_COUNTS.total})
  FROM ${runs} WHERE ${IS_BUILD})`;

const NOT_BEGUN: BuildPosition = { position: 0, lastId: 0, done: 0, total: 0 };

const findVersion = prepare(() => query.select({ version: searchIndex.version }).from(searchIndex));
const countNodes = prepare(() =>
  query.select({ lastId: sql<number>`coalesce(${max(nodes.id)}, 0)`, total: count() }).from(nodes),
);

/** Returns the state of the index. */
export async function readIndexState(database: Database): Promise<IndexState> {
  database.refresh();
  const [row, run] = [await database.get(findVersion()), await indexRuns.find(database, undefined)];
  if (row === undefined || run === undefined)
    throw new ServiceError('misconfigured', 'The database has no state of the search index.');
  const building = run.state === 'running' ? run.about.version : null;
  return { ...NOT_BEGUN, ...run.progress, version: row.version, building, isUnderWay: run.isUnderWay };
}

/**
 * Takes the lease of the index, which one process of a repository holds while it builds the index or writes pending
 * nodes. Returns undefined while another process holds it.
 */
export function takeIndex(database: Database): Promise<Lease | undefined> {
  return indexRuns.take(database, { where: sql`TRUE` });
}

/** Releases the lease, so that another process may continue at once. */
export async function releaseIndex({ write }: Database, held: Lease): Promise<void> {
  await write([indexRuns.release(held)]);
}

/** Extends the lease. Throws `conflict` if another process has taken it over. */
export function renewIndex(database: Database, held: Lease): Promise<void> {
  return indexRuns.change(database, held);
}

/** Begins a build of all present nodes. */
export async function beginBuild(database: Database, held: Lease, version: string): Promise<IndexState> {
  const progress = { ...NOT_BEGUN, ...(await database.get(countNodes())) };
  await indexRuns.change(database, held, { state: 'running', about: { version }, progress });
  return readIndexState(database);
}

/** Stores the progress of a build. */
export function advanceBuild(database: Database, held: Lease, progress: BuildPosition): Promise<void> {
  return indexRuns.change(database, held, { progress });
}

/** Ends a build: the index has its version now. */
export function endBuild(database: Database, held: Lease, version: string): Promise<void> {
  return indexRuns.change(database, held, { state: 'done' }, [statementOf(query.update(searchIndex).set({ version }))]);
}

const setSnapshot = prepare(({ token }: Named<{ token: string }>) =>
  query.update(searchIndex).set({ snapshot: sql`${token}` }),
);

/** Makes the file with a token the latest one that has the facts of all nodes. */
export async function storeSnapshot({ write }: Pick<Database, 'write'>, token: string): Promise<void> {
  await write([setSnapshot({ token })]);
}

/** Sets the version of the index of a repository without nodes, which needs no build. */
export async function adoptEmptyIndex({ write }: Database, current: string): Promise<void> {
  const isEmpty = sql`NOT EXISTS (SELECT 1 FROM ${nodes}) AND NOT EXISTS ${query.select({ id: runs.id }).from(runs).where(IS_BUILD)}`;
  await write([
    statementOf(
      query
        .update(searchIndex)
        .set({ version: current })
        .where(and(isNull(searchIndex.version), isEmpty)),
    ),
  ]);
}
