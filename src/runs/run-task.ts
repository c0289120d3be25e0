import type { Database } from '../database/database.ts';
import type { Work } from './keep-working.ts';
import { type HeldRun, type runsOf, TakenOver } from './runs.ts';

/** How a kind does its runs. */
interface RunTask<Held> extends Omit<Work, 'step'> {
  /** Works on a run for a turn, or until it has settled it. Other runs then get their turns. */
  work(run: Held, signal: AbortSignal): Promise<void>;
}

/** Creates the work on the open runs of a kind. Any number of processes may do it, each on one run at a time. */
export function createRunTask<About, Progress, Result>(
  database: Database,
  runs: ReturnType<typeof runsOf<About, Progress, Result>>,
  { work, ...task }: RunTask<HeldRun<About, Progress, Result>>,
): Work {
  return {
    ...task,
    async step(signal) {
      const run = await runs.take(database);
      if (run === undefined) return false;
      try {
        await work(run, signal);
      } catch (error) {
        if (!(error instanceof TakenOver)) throw error;
      } finally {
        await database.write([runs.release(run)]);
      }
      return true;
    },
  };
}
