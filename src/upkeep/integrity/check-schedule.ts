import { and, eq, isNull, notExists } from 'drizzle-orm';
import type { Log } from '../../base/log.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { runs } from '../../database/schema/runs.ts';
import { settings } from '../../database/schema/system.ts';
import { excluded } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { Services } from '../../repository/content/services.ts';
import type { Work } from '../../runs/keep-working.ts';
import { runsOf } from '../../runs/runs.ts';
import { checkDatabase } from './check-database.ts';

/** The interval at which a server looks for a check that is due. */
const LOOK_MS = 60_000;
/** The names of the settings that store the plan and the last result. */
const [PLAN, RESULT] = ['database.verify', 'database.checked'];
/** Runs of checks: their lease. */
const databaseRuns = runsOf<Record<string, never>>('database', 'check of the database');

/** The checks of the database that servers start on a schedule. */
export interface DatabasePlan {
  readonly everySeconds: number;
}

/** The result of the last complete check of the database. Times are seconds since 1970. */
export interface DatabaseCheck {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly revisions: number;
  readonly problems: number;
}

const findSetting = prepare(({ name }: Named<{ name: string }>) =>
  query.select({ value: settings.value }).from(settings).where(eq(settings.name, name)),
);
const saveSetting = prepare(({ name, value }: Named<{ name: string; value: string }>) =>
  query
    .insert(settings)
    .values({ name, value })
    .onConflictDoUpdate({ target: settings.name, set: { value: excluded(settings.value) } }),
);
const removeSetting = prepare(({ name }: Named<{ name: string }>) =>
  query.delete(settings).where(eq(settings.name, name)),
);

/** Returns the plan and the last result. Undefined without one, and for a damaged one. */
export async function findDatabaseCheck(
  database: Database,
): Promise<{ readonly plan: DatabasePlan | undefined; readonly last: DatabaseCheck | undefined }> {
  const { plan, last } = await database.read({
    plan: findSetting({ name: PLAN }),
    last: findSetting({ name: RESULT }),
  });
  return { plan: parse<DatabasePlan>(plan[0]?.value), last: parse<DatabaseCheck>(last[0]?.value) };
}

function parse<T>(text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Sets or with undefined removes the plan. */
export async function changeDatabasePlan({ write }: Database, plan: DatabasePlan | undefined): Promise<void> {
  await write([
    plan === undefined ? removeSetting({ name: PLAN }) : saveSetting({ name: PLAN, value: JSON.stringify(plan) }),
  ]);
}

/** Records the result of a complete check. */
export async function recordDatabaseCheck({ write }: Database, check: DatabaseCheck): Promise<void> {
  await write([saveSetting({ name: RESULT, value: JSON.stringify(check) })]);
}

/**
 * The checks of the plan. One process of a repository at a time runs them: the first that takes the lease. An interrupted
 * check starts again.
 */
export function createDatabaseChecks(services: Services, log: Log, lookMs = LOOK_MS): Work {
  return {
    failure: 'the database cannot be checked at present',
    lookMs,
    // Spreads processes that start at the same moment.
    firstMs: Math.random() * lookMs,
    async step(signal) {
      const { database } = services;
      if (!(await isDue(services))) return false;
      const open = query
        .select({ id: runs.id })
        .from(runs)
        .where(and(databaseRuns.isOfKind, isNull(runs.endedAt)));
      await database.write({ begun: databaseRuns.add({ about: {}, where: notExists(open) }) });
      const held = await databaseRuns.take(database);
      if (held === undefined) return false;
      const control = new AbortController();
      const stopRenewing = databaseRuns.keepRenewing(database, held, (error) => control.abort(error));
      try {
        // Another process may have completed it meanwhile.
        if (await isDue(services)) await check(services, log, AbortSignal.any([signal, control.signal]));
        await databaseRuns.settle(database, held, { state: 'done' });
      } finally {
        stopRenewing();
        await database.write([databaseRuns.release(held)]);
      }
      return false;
    },
  };
}

async function isDue({ database, now }: Services): Promise<boolean> {
  database.refresh();
  const { plan, last } = await findDatabaseCheck(database);
  return plan !== undefined && (last === undefined || now() >= last.startedAt + plan.everySeconds);
}

async function check(services: Services, log: Log, signal: AbortSignal): Promise<void> {
  const startedAt = services.now();
  log.info('a check of the database has begun');
  const { checked, problems } = await checkDatabase(services, {
    onStructure(found) {
      for (const line of found ?? []) log.error(`the structure of the database is damaged: ${line}`);
    },
    onProgress: () => {},
    onProblem: ({ subject, detail }) => log.error({ row: subject }, `the database is damaged: ${subject}: ${detail}`),
    signal,
  });
  await recordDatabaseCheck(services.database, { startedAt, endedAt: services.now(), revisions: checked, problems });
  log[problems > 0 ? 'error' : 'info']({ revisions: checked, problems }, 'a check of the database has come to its end');
}
