import { and, desc, inArray, isNotNull, lte, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { CLOCK } from '../database/database-time.ts';
import { query } from '../database/query-builder.ts';
import { derivativeJobs } from '../database/schema/derivatives.ts';
import { isAmong, isText, literal } from '../database/sql.ts';
import { type Named, prepare, statementOf } from '../database/statement.ts';
import type { DerivativeRules } from './rules.ts';
import { DEFAULT_POOL, poolOf, SCAN_MARK } from './rules.ts';

/** Number of ended jobs that stay in the list for administrators. */
const MAX_ENDED = 10_000;
const MAX_DELETED_AT_ONCE = 5_000;

const jobs = derivativeJobs;
const [isQueued, isWaiting] = [isText(jobs.state, 'queued'), isText(jobs.state, 'waiting')];

const queuedLeases = prepare(() =>
  query
    .selectDistinct({ lease: jobs.lease })
    .from(jobs)
    .where(and(isQueued, isNotNull(jobs.lease))),
);
const releaseLeases = prepare(({ leases }: Named<{ leases: string }>) =>
  query
    .update(jobs)
    .set({ lease: null, availableAt: CLOCK })
    .where(and(isQueued, isAmong(jobs.lease, leases))),
);
const awaitedPrograms = prepare(() => query.selectDistinct({ programs: jobs.waitsFor }).from(jobs).where(isWaiting));
const waitingJobs = prepare(() =>
  query
    .selectDistinct({ action: jobs.action, pool: jobs.pool, sourceType: jobs.sourceType })
    .from(jobs)
    .where(isWaiting),
);
const endedAfter = prepare(({ count }: Named<{ count: number }>) =>
  query
    .select({ endedAt: jobs.endedAt })
    .from(jobs)
    .where(isNotNull(jobs.endedAt))
    .orderBy(desc(jobs.endedAt))
    .limit(1)
    .offset(count),
);
const deleteEnded = prepare(({ until }: Named<{ until: number }>) => {
  const ids = query
    .select({ id: jobs.id })
    .from(jobs)
    .where(lte(jobs.endedAt, until))
    .orderBy(jobs.endedAt)
    .limit(MAX_DELETED_AT_ONCE);
  return query.delete(jobs).where(inArray(jobs.id, ids));
});

/** Releases the jobs of ended processes. `hasEnded` receives the owner of a lease. Returns the number of released jobs. */
export async function releaseOrphans(database: Database, hasEnded: (owner: string) => boolean): Promise<number> {
  const leases = await database.all(queuedLeases());
  const orphaned = leases.flatMap(({ lease }) =>
    lease !== null && hasEnded(lease.slice(0, lease.lastIndexOf('/'))) ? [lease] : [],
  );
  if (orphaned.length === 0) return 0;
  const { released } = await database.write({ released: releaseLeases({ leases: JSON.stringify(orphaned) }) });
  return released.changes;
}

/** Moves jobs to the pools of the present rules. Jobs of removed actions are ended by the process that takes them. */
export async function followRules(database: Database, { actions }: DerivativeRules): Promise<void> {
  const cases = [...actions.values()].map((action) => sql` WHEN ${action.name} THEN ${poolOf(action)}`);
  const standard = literal(DEFAULT_POOL);
  const pool = cases.length === 0 ? standard : sql`CASE ${jobs.action}${sql.join(cases)} ELSE ${standard} END`;
  const mark = literal(SCAN_MARK);
  // `+` reads the rows in their own order: there may be a million, and an index would lead to each of them apart.
  const isElsewhere = sql`+${jobs.endedAt} IS NULL AND replace(${jobs.pool}, ${mark}, '') IS NOT ${pool}`;
  // Reads first, since a read blocks no writer and a job is rarely found.
  const job = await database.get(statementOf(query.select({ id: jobs.id }).from(jobs).where(isElsewhere).limit(1)));
  if (job === undefined) return;
  const present = sql`${pool} || iif(instr(${jobs.pool}, ${mark}) > 0, ${mark}, '')`;
  await database.write({ moved: statementOf(query.update(jobs).set({ pool: present }).where(isElsewhere)) });
}

/** Queues jobs whose missing programs are now installed. Returns their number. */
export async function resumeWaiting(database: Database, isThere: (program: string) => boolean): Promise<number> {
  const waiting = await database.all(awaitedPrograms());
  const resumed = waiting.flatMap(({ programs }) =>
    programs !== null && (JSON.parse(programs) as string[]).every(isThere) ? [programs] : [],
  );
  return resume(database, isAmong(jobs.waitsFor, JSON.stringify(resumed)), resumed.length);
}

/** A group of jobs that wait for programs. */
export interface WaitingJobs {
  readonly action: string;
  readonly pool: string;
  /** MIME type of the source. */
  readonly sourceType: string;
}

/**
 * Queues waiting jobs that can run now: another processor or another command may support them. Reads every waiting job.
 * Returns the number of queued jobs.
 */
export async function resumeMakeable(
  database: Database,
  canBeMade: (waiting: WaitingJobs) => boolean,
): Promise<number> {
  const resumed = (await database.all(waitingJobs())).filter(canBeMade);
  const list = JSON.stringify(resumed.map(({ action, pool, sourceType }) => [action, pool, sourceType]));
  const isMeant = sql`EXISTS (SELECT 1 FROM json_each(${list}) item WHERE item.value ->> 0 = ${jobs.action}
    AND item.value ->> 1 = ${jobs.pool} AND item.value ->> 2 = ${jobs.sourceType})`;
  return resume(database, isMeant, resumed.length);
}

/** Queues the waiting jobs that fulfil a condition. Does nothing if `count` is 0. */
async function resume(database: Database, isMeant: SQL, count: number): Promise<number> {
  if (count === 0) return 0;
  const { resumed } = await database.write({
    resumed: statementOf(
      query
        .update(jobs)
        .set({ state: 'queued', waitsFor: null, message: null, availableAt: CLOCK })
        .where(and(isText(jobs.state, 'waiting'), isMeant)),
    ),
  });
  return resumed.changes;
}

/** Deletes the oldest ended jobs beyond the kept number. */
export async function forgetEnded(database: Database): Promise<void> {
  const oldest = await database.get(endedAfter({ count: MAX_ENDED }));
  if (oldest === undefined || oldest.endedAt === null) return;
  for (let changes = MAX_DELETED_AT_ONCE; changes === MAX_DELETED_AT_ONCE; ) {
    ({
      deleted: { changes },
    } = await database.write({ deleted: deleteEnded({ until: oldest.endedAt }) }));
  }
}
