import type { SQL } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import type { Work } from './keep-working.ts';
import { type HeldRun, type runsOf, TakenOver } from './runs.ts';

/** The functions of a kind of runs. */
type RunsOfKind<About, Progress, Result> = ReturnType<typeof runsOf<About, Progress, Result>>;

/** Works on a run for a turn, or until it has settled it. Other runs then get their turns. */
type WorkOnRun<Held> = (run: Held, signal: AbortSignal) => Promise<void>;

/** How a kind does its runs. */
interface RunTask<Held> extends Omit<Work, 'step'> {
  readonly work: WorkOnRun<Held>;
}

/** Creates the work on the open runs of a kind. Any number of processes may do it, each on one run at a time. */
export function createRunTask<About, Progress, Result>(
  database: Database,
  runs: RunsOfKind<About, Progress, Result>,
  { work, ...task }: RunTask<HeldRun<About, Progress, Result>>,
): Work {
  return { ...task, step: (signal) => giveTurn(database, runs, work, signal) };
}

/** Gives an open run its turn, one with a condition if there is one. Returns false if there is none to work on. */
export async function giveTurn<About, Progress, Result>(
  database: Database,
  runs: RunsOfKind<About, Progress, Result>,
  work: WorkOnRun<HeldRun<About, Progress, Result>>,
  signal: AbortSignal,
  where?: SQL,
): Promise<boolean> {
  const run = await runs.take(database, where && { where });
  if (run === undefined) return false;
  try {
    await work(run, signal);
  } catch (error) {
    if (!(error instanceof TakenOver)) throw error;
  } finally {
    await database.write([runs.release(run)]);
  }
  return true;
}
