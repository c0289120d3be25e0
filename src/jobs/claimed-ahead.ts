import type { ClaimedJob } from './job.ts';

/** The number of jobs started within this time limits how many are claimed ahead. */
const BEGUN_WITHIN_MS = 100;
const MAX_AHEAD = 16;

interface WaitingJob {
  readonly job: ClaimedJob;
  readonly since: number;
}

/** Claimed jobs that wait for a slot of an executor. Stays empty while jobs are slow: other processes may have free slots. */
export class ClaimedAhead {
  #waiting: WaitingJob[] = [];
  /** The start times of the last jobs, by `performance.now`. */
  #begun: number[] = [];

  get jobs(): readonly ClaimedJob[] {
    return this.#waiting.map(({ job }) => job);
  }

  /** Returns the number of jobs to claim for a number of free slots; 0 while enough jobs wait. */
  wanted(slots: number): number {
    const since = performance.now() - BEGUN_WITHIN_MS;
    // Called with every write: mostly there is nothing to remove.
    while ((this.#begun[0] ?? since + 1) <= since) this.#begun.shift();
    const ahead = this.#begun.length;
    const waiting = this.#waiting.length;
    return waiting < Math.max(slots, ahead / 2) ? slots + ahead - waiting : 0;
  }

  add(jobs: readonly ClaimedJob[]): void {
    const since = performance.now();
    this.#waiting.push(...jobs.map((job) => ({ job, since })));
  }

  /** Removes and returns the job to start next. */
  next(): ClaimedJob | undefined {
    const first = this.#waiting.shift();
    if (first === undefined) return undefined;
    this.#begun = [...this.#begun, performance.now()].slice(-MAX_AHEAD);
    return first.job;
  }

  /** Removes jobs whose lease is lost. */
  remove(lost: ReadonlySet<number>): void {
    this.#waiting = this.#waiting.filter(({ job }) => !lost.has(job.id));
  }

  /** Removes and returns the jobs that have waited for `waitedMs`: their executor is busy or suspended. */
  takeLate(waitedMs: number): ClaimedJob[] {
    const until = performance.now() - waitedMs;
    const late = this.#waiting.filter(({ since }) => since <= until);
    this.#waiting = this.#waiting.filter(({ since }) => since > until);
    return late.map(({ job }) => job);
  }
}
