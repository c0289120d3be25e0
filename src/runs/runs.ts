import type { InStatement } from '@libsql/client';
import { and, asc, desc, eq, inArray, is, isNotNull, isNull, SQL, sql } from 'drizzle-orm';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import { ServiceError } from '../base/errors.ts';
import type { Database } from '../database/database.ts';
import { CLOCK } from '../database/database-time.ts';
import { failedGuard } from '../database/errors.ts';
import { query } from '../database/query-builder.ts';
import { runs } from '../database/schema/runs.ts';
import { isText, namesOf, requireOne } from '../database/sql.ts';
import { plain, type Statement, statementOf } from '../database/statement.ts';
import { isFree, isLeased, isUnderWay, newLease, RELEASED, RENEWAL_MS, RENEWED } from './lease.ts';

type Row = typeof runs.$inferSelect;
type RunKind = Row['kind'];
/** `running` without a process: it waits for one, or its process has ended. */
export type RunState = Row['state'];

/** Work that takes long. Its members `about`, `progress` and `result` depend on its kind. Times are seconds since 1970. */
export interface Run<About, Progress, Result> {
  readonly id: number;
  readonly state: RunState;
  /** The user who started it; null for a command and for the server itself. */
  readonly userId: number | null;
  readonly about: About;
  readonly progress: Progress | undefined;
  readonly result: Result | undefined;
  /** The seconds that processes have worked on it. */
  readonly worked: number;
  readonly createdAt: number;
  readonly endedAt: number | null;
  /** True while a process works on it. */
  readonly isUnderWay: boolean;
}

/** The right of this process to work on a run. */
export interface Lease {
  readonly id: number;
  readonly lease: string;
}

/** A run whose lease this process holds. */
export type HeldRun<About, Progress, Result> = Run<About, Progress, Result> & Lease;

/** What a change sets; the other members stay. */
export interface RunChanges<About, Progress, Result> {
  readonly state?: RunState;
  readonly about?: About | SQL;
  readonly progress?: Progress | null;
  readonly result?: Result | null;
  /** The seconds of work to add. */
  readonly worked?: number;
}

/** Another process has taken over a run, or a user has stopped it. */
export class TakenOver extends ServiceError {}

/** The columns that `toRun` requires. */
export const RUN_COLUMNS = {
  ...{ id: runs.id, state: runs.state, userId: runs.userId, about: runs.about, progress: runs.progress },
  ...{ result: runs.result, worked: runs.worked, createdAt: runs.createdAt, endedAt: runs.endedAt },
  ...{ lease: runs.lease, isLeased },
};

/** The condition that work on a run remains, and that it is ready for it. */
export const IS_OPEN = and(isNull(runs.endedAt), isText(runs.state, 'running'));

/** Returns the condition that a process still has the right to work on a run. */
export const isHeld = ({ id, lease }: Lease) => and(eq(runs.id, id), eq(runs.lease, lease));

/** Which run to take, and what else to write. */
interface Taking<Changes> {
  /** Default: an open run. */
  readonly where?: SQL | undefined;
  readonly set?: Changes;
  /** Statements before it in the same transaction, such as those that begin the run. `isFree`: no process works on it. */
  readonly before?: (isFree: SQL | undefined) => readonly InStatement[];
  /** Statements after it. */
  readonly also?: readonly InStatement[];
}

/**
 * Returns the functions for the runs of a kind. `name` is part of errors: `Another process has taken over this import.`
 * The functions that need a lease throw `TakenOver` if another process has taken over the run, or a user has stopped it.
 */
export function runsOf<About, Progress = never, Result = never>(kind: RunKind, name: string) {
  type Found = Run<About, Progress, Result>;
  type Held = HeldRun<About, Progress, Result>;
  type Changes = RunChanges<About, Progress, Result>;
  type NewRun = { about: About; userId?: number | null; state?: RunState; progress?: Progress; where?: SQL };
  const isOfKind = isText(runs.kind, kind);
  const takenOver = (cause: unknown) =>
    new TakenOver('conflict', `Another process has taken over this ${name}.`, { cause });

  function toRun({ about, progress, result, lease, isLeased, ...row }: SelectResultFields<typeof RUN_COLUMNS>): Found {
    return {
      ...row,
      about: JSON.parse(about),
      progress: progress === null ? undefined : JSON.parse(progress),
      result: result === null ? undefined : JSON.parse(result),
      isUnderWay: isUnderWay({ lease, isLeased }),
    };
  }

  async function writeHeld({ write }: Database, held: Lease, set: Columns, also: readonly InStatement[]) {
    const change = statementOf(query.update(runs).set(set).where(isHeld(held)));
    try {
      await write([change, requireOne('lost'), ...also]);
    } catch (error) {
      throw failedGuard(error) === 'guard_lost' ? takenOver(error) : error;
    }
  }

  const change = (database: Database, held: Lease, changes: Changes = {}, also: readonly InStatement[] = []) =>
    writeHeld(database, held, { ...columnsOf(changes), ...RENEWED }, also);

  return {
    isOfKind,
    toRun,
    takenOver,
    /**
     * Returns the statement that adds a run: one to work on, unless `state` is another one; with `where` only if the condition
     * holds. Its result has the id.
     */
    add: ({
      about,
      userId = null,
      state = 'running',
      progress,
      where = sql`TRUE`,
    }: NewRun): Statement<{ id: number }[]> =>
      statementOf(
        plain(
          sql`INSERT INTO ${runs} (${namesOf(runs.kind, runs.state, runs.userId, runs.about, runs.progress, runs.createdAt)})
            SELECT ${kind}, ${state}, ${userId}, ${JSON.stringify(about)}, ${textOf(progress)}, ${CLOCK} WHERE ${where}
            RETURNING ${namesOf(runs.id)}`,
          { id: runs.id },
        ),
      ),
    /** Returns the runs with a condition, the newest first unless the order is another one. */
    async list(database: Database, where?: SQL, limit?: number, order = desc(runs.id)): Promise<Found[]> {
      const found = query.select(RUN_COLUMNS).from(runs).where(and(isOfKind, where)).orderBy(order);
      return (await database.all(statementOf(limit === undefined ? found : found.limit(limit)))).map(toRun);
    },
    /** Returns the first run of such a list. */
    async find(database: Database, where: SQL | undefined, order?: SQL): Promise<Found | undefined> {
      const [run] = await this.list(database, where, 1, order);
      return run;
    },
    /**
     * Takes a run that no process works on: its lease is released, has expired, or belongs to an ended process of this
     * machine. Of several it takes the one with the least work done: a short one does not wait for the end of a long one.
     * Returns undefined if there is none; nothing is written then.
     */
    async take(
      database: Database,
      { where = IS_OPEN, set = {}, before, also = [] }: Taking<Changes> = {},
    ): Promise<Held | undefined> {
      database.refresh();
      const isLeasedRow = and(isOfKind, isNotNull(runs.lease));
      const leases = query.selectDistinct({ lease: runs.lease }).from(runs).where(isLeasedRow);
      const free = isFree(await database.all(statementOf(leases)));
      const next = query
        .select({ id: runs.id })
        .from(runs)
        .where(and(isOfKind, where, free))
        .orderBy(asc(runs.worked), asc(runs.id))
        .limit(1);
      // A read first, since it blocks no writer and a run is rarely there.
      if (before === undefined && (await database.get(statementOf(next))) === undefined) return undefined;
      const lease = newLease();
      const changes = { lease, ...RENEWED, ...columnsOf(set) };
      try {
        const { taken } = await database.write({
          before: before?.(free) ?? [],
          taken: statementOf(query.update(runs).set(changes).where(inArray(runs.id, next)).returning(RUN_COLUMNS)),
          guard: requireOne('lost'),
          also,
        });
        const [row] = taken;
        return row && { ...toRun(row), lease };
      } catch (error) {
        if (failedGuard(error) === 'guard_lost') return undefined;
        throw error;
      }
    },
    /** Renews the lease, with changes and `also` in the same transaction. */
    change,
    /** Renews the lease, and stores the progress, until the returned function is called. `fail` gets a failure. */
    keepRenewing(database: Database, held: Lease, fail: (error: unknown) => void, progress?: () => Progress) {
      const renewing = setInterval(
        () => void change(database, held, progress ? { progress: progress() } : {}).catch(fail),
        RENEWAL_MS,
      );
      return () => clearInterval(renewing);
    },
    /** Ends a run. */
    settle: (
      database: Database,
      held: Lease,
      changes: Changes & { readonly state: 'stopped' | 'failed' | 'done' },
      also: readonly InStatement[] = [],
    ) => writeHeld(database, held, { ...columnsOf(changes), ...RELEASED }, also),
    /** Returns the statement that lets another process continue at once. It changes nothing if the lease is lost. */
    release: (held: Lease, changes: Changes = {}) =>
      statementOf(
        query
          .update(runs)
          .set({ ...columnsOf(changes), ...RELEASED })
          .where(isHeld(held)),
      ),
    /** Stops a run at once: the process that works on it notices at its next change. Returns false if it does not run. */
    async stop(database: Database, id: number): Promise<boolean> {
      const stopping = query
        .update(runs)
        .set({ ...columnsOf({ state: 'stopped' }), ...RELEASED })
        .where(and(isOfKind, eq(runs.id, id), IS_OPEN));
      const { stopped } = await database.write({ stopped: statementOf(stopping) });
      return stopped.changes === 1;
    },
  };
}

const HAS_ENDED: ReadonlySet<RunState> = new Set(['stopped', 'failed', 'done']);

type Columns = Parameters<ReturnType<typeof query.update<typeof runs>>['set']>[0];

function columnsOf({ state, about, progress, result, worked }: RunChanges<unknown, unknown, unknown>): Columns {
  return {
    ...(state !== undefined && { state, endedAt: HAS_ENDED.has(state) ? CLOCK : null }),
    ...(about !== undefined && { about: is(about, SQL) ? about : JSON.stringify(about) }),
    ...(progress !== undefined && { progress: textOf(progress) }),
    ...(result !== undefined && { result: textOf(result) }),
    ...(worked !== undefined && { worked: sql`${runs.worked} + ${worked}` }),
  };
}

function textOf(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}
