import { and, eq, sql } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { runs } from '../../database/schema/runs.ts';
import { settings } from '../../database/schema/system.ts';
import { excluded } from '../../database/sql.ts';
import { prepare, statementOf } from '../../database/statement.ts';
import type { Services } from '../../repository/content/services.ts';
import type { Work } from '../../runs/keep-working.ts';
import { verify } from './verify.ts';
import type { CheckedFile } from './verify-file.ts';
import { IS_INCOMPLETE, problemsOf, type Sample, type VerifyRun } from './verify-run.ts';
import { createVerifyRuns } from './verify-runs.ts';

/** The interval at which a server checks files that are due. */
const LOOK_MS = 60_000;
/** The fraction of its period in which a check completes, so that the next one starts in time even after a delay. */
const DONE_BY = 0.8;
/** The name of the setting that stores the plan. */
const SETTING = 'storage.verify';

/** The checks that servers start on a schedule. */
export interface VerifyPlan {
  /** The period in which each file is checked once. */
  readonly everySeconds: number;
  readonly bytesPerSecond: number;
  readonly store?: string | undefined;
  readonly sample?: Sample | undefined;
}

const findSetting = prepare(() =>
  query.select({ value: settings.value }).from(settings).where(eq(settings.name, SETTING)),
);

/** Returns the active plan, if any. Throws `misconfigured` if the stored one is invalid. */
export async function findPlan(database: Database): Promise<VerifyPlan | undefined> {
  const row = await database.get(findSetting());
  if (row === undefined) return undefined;
  try {
    return JSON.parse(row.value) as VerifyPlan;
  } catch (cause) {
    throw new ServiceError(
      'misconfigured',
      'The database has a schedule of checks that cannot be read. Set it again with: repo storage verify --schedule 30d',
      { cause },
    );
  }
}

/** Sets or with undefined removes the plan. A running check of the previous plan ends without a result. */
export async function changePlan({ write }: Database, plan: VerifyPlan | undefined): Promise<void> {
  const { name, value } = settings;
  const save = { target: name, set: { value: excluded(value) } };
  const isScheduled = and(IS_INCOMPLETE, sql`${runs.about} ->> 'isScheduled'`);
  await write([
    plan === undefined
      ? statementOf(query.delete(settings).where(eq(name, SETTING)))
      : statementOf(
          query
            .insert(settings)
            .values({ name: SETTING, value: JSON.stringify(plan) })
            .onConflictDoUpdate(save),
        ),
    statementOf(query.delete(runs).where(isScheduled)),
  ]);
}

/**
 * The checks of the plan in parts, spread over their period. One process of a repository at a time runs them: the first
 * that takes the lease.
 */
export function createScheduledChecks(services: Services, log: Log, lookMs = LOOK_MS): Work {
  return {
    failure: 'the stored files cannot be checked at present',
    lookMs,
    // Spreads processes that start at the same moment.
    firstMs: Math.random() * lookMs,
    async step(signal) {
      await runDueCheck(services, log, signal);
      return false;
    },
  };
}

async function runDueCheck(services: Services, log: Log, signal: AbortSignal): Promise<void> {
  services.database.refresh();
  const plan = await findPlan(services.database);
  if (plan === undefined) return;
  const { store, sample, bytesPerSecond } = plan;
  const scope = { store, sample, isScheduled: true };
  const latest = await createVerifyRuns(services.database).findLatest(scope);
  const isOpen = latest !== undefined && latest.endedAt === undefined;
  if (isOpen ? isEnough(plan, latest) : !isDue(plan, latest)) return;
  let isLogged = isOpen;
  const run = await verify(services, {
    scope,
    bytesPerSecond,
    signal,
    isEnough: (run) => isEnough(plan, run),
    onProgress({ total }) {
      if (!isLogged) log.info({ files: total, bytesPerSecond }, 'a check of the stored files has begun');
      isLogged = true;
    },
    onProblem: (problem) => logProblem(log, problem),
  });
  if (run.endedAt === undefined) return;
  const { checked, bytes, damaged, missing, unreadable } = run;
  const level = problemsOf(run) > 0 ? 'error' : 'info';
  log[level]({ checked, bytes, damaged, missing, unreadable }, 'a check of the stored files has come to its end');
}

function isDue({ everySeconds }: VerifyPlan, latest: VerifyRun | undefined): boolean {
  return latest === undefined || Date.now() / 1_000 >= latest.startedAt + everySeconds;
}

/** Returns whether a check is on schedule. */
function isEnough({ everySeconds }: VerifyPlan, { startedAt, checked, total }: VerifyRun): boolean {
  const elapsed = Date.now() / 1_000 - startedAt;
  return total > 0 && checked >= total * (elapsed / (DONE_BY * everySeconds));
}

function logProblem(log: Log, { file, outcome, detail }: CheckedFile): void {
  log.error({ file: file.id, uri: file.uri, outcome, detail }, `a stored file is ${outcome}`);
}
