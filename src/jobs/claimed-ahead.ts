import type { ClaimedJob } from './job.ts';

/** As many jobs are claimed ahead as were begun in so short a time: no claim is of a single one then, and none waits long. */
const BEGUN_WITHIN_MS = 100;
const MAX_AHEAD = 16;

interface Waiting {
  readonly job: ClaimedJob;
  readonly since: number;
}

/** Jobs that are ours and wait for a place with a maker. Where jobs take long there are none: others may be free to do them. */
export class ClaimedAhead {
  #waiting: Waiting[] = [];
  /** When the last jobs were begun, as `performance.now` counts. */
  #begun: number[] = [];

  get jobs(): readonly ClaimedJob[] {
    return this.#waiting.map(({ job }) => job);
  }

  /** How many jobs are to be claimed for so many free places; none while what waits will do for a while. */
  wanted(places: number): number {
    const since = performance.now() - BEGUN_WITHIN_MS;
    // Asked with every write, and mostly for nothing.
    while ((this.#begun[0] ?? since + 1) <= since) this.#begun.shift();
    const ahead = this.#begun.length;
    const waiting = this.#waiting.length;
    return waiting < Math.max(places, ahead / 2) ? places + ahead - waiting : 0;
  }

  add(jobs: readonly ClaimedJob[]): void {
    const since = performance.now();
    this.#waiting.push(...jobs.map((job) => ({ job, since })));
  }

  /** The job that is to be begun next. */
  next(): ClaimedJob | undefined {
    const first = this.#waiting.shift();
    if (first === undefined) return undefined;
    this.#begun = [...this.#begun, performance.now()].slice(-MAX_AHEAD);
    return first.job;
  }

  /** Takes out what somebody else has by now. */
  remove(lost: ReadonlySet<number>): void {
    this.#waiting = this.#waiting.filter(({ job }) => !lost.has(job.id));
  }

  /** Takes out what has waited for so long: its maker is busy with others, or rests. */
  takeLate(waitedMs: number): ClaimedJob[] {
    const until = performance.now() - waitedMs;
    const late = this.#waiting.filter(({ since }) => since <= until);
    this.#waiting = this.#waiting.filter(({ since }) => since > until);
    return late.map(({ job }) => job);
  }
}
