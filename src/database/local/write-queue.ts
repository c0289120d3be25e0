import type { InStatement, ResultSet } from '@libsql/client';
import { isDamaged } from '../damage.ts';
import { isBusy, named } from '../errors.ts';
import type { LocalConnection } from './local-connection.ts';

/** The maximum wait of a write for a database that another process has locked. */
const MAX_WAIT_MS = 5_000;
const FIRST_RETRY_MS = 2;
const MAX_RETRY_MS = 8;
/** The maximum time of writing without a pause, in which another process that waits could not begin. */
const TURN_MS = 400;
/** The length of such a pause: another process tries again within it. */
const PAUSE_MS = MAX_RETRY_MS + 2;
/** The maximum number of batches in one commit: enough to share the disk flush, few enough to keep the wait short. */
const MAX_GROUP = 128;

interface Batch {
  readonly statements: readonly InStatement[];
  readonly resolve: (results: ResultSet[]) => void;
  readonly reject: (error: unknown) => void;
  readonly deadline: number;
}

type Outcome = { results: ResultSet[] } | { error: unknown };

/**
 * The only writer of a process. Waiting batches share one commit, and so one disk flush. Each batch has its own savepoint
 * and fails alone. A batch resolves after the commit, never before.
 */
export class WriteQueue {
  readonly #connection: LocalConnection;
  readonly #beforeAnswers: () => void;
  readonly #now: () => number;
  #waiting: Batch[] = [];
  /** True while a drain is scheduled or running: other batches wait for its commit. */
  #isScheduled = false;
  #onIdle: (() => void) | undefined;
  #retryMs = FIRST_RETRY_MS;
  #turnBeganAt = 0;
  #lastEndedAt = 0;

  /**
   * `beforeAnswers` is called after a group has run, before its promises settle. `now` returns the milliseconds of a
   * monotonic clock.
   */
  constructor(connection: LocalConnection, beforeAnswers = () => {}, now = () => performance.now()) {
    this.#connection = connection;
    this.#beforeAnswers = beforeAnswers;
    this.#now = now;
  }

  /** Runs all statements, or none. Rejects with the first error; `database-locked` after five seconds. */
  write(statements: readonly InStatement[]): Promise<ResultSet[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statements, resolve, reject, deadline: this.#now() + MAX_WAIT_MS });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    if (this.#mustPause()) setTimeout(() => this.#drain(), PAUSE_MS);
    // After all requests of this turn of the event loop, so that they share the commit.
    else setImmediate(() => this.#drain());
  }

  /** Resolves when no write is pending. */
  whenIdle(): Promise<void> {
    if (!this.#isScheduled) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle = resolve;
    });
  }

  async #drain(): Promise<void> {
    if (!this.#begin()) return;
    const group = this.#waiting.splice(0, MAX_GROUP);
    const outcomes = await this.#runGroup(group);
    this.#beforeAnswers();
    for (const [index, batch] of group.entries()) {
      const outcome = outcomes[index] as Outcome;
      if ('error' in outcome) batch.reject(named(outcome.error));
      else batch.resolve(outcome.results);
    }
    this.#isScheduled = false;
    this.#lastEndedAt = this.#now();
    if (this.#waiting.length > 0) this.#schedule();
    else this.#onIdle?.();
  }

  /** SQLite has no queue of processes: one that writes without a pause would keep all others out. */
  #mustPause(): boolean {
    const now = this.#now();
    if (now - this.#lastEndedAt >= PAUSE_MS) this.#turnBeganAt = now;
    if (now - this.#turnBeganAt < TURN_MS) return false;
    this.#turnBeganAt = now + PAUSE_MS;
    return true;
  }

  /** Begins the transaction, or schedules another attempt and rejects the batches that have waited too long. */
  #begin(): boolean {
    try {
      if (this.#connection.isInTransaction) this.#connection.run('ROLLBACK');
      // Not a prepared statement: one that fails on a lock stays active, and the next read cannot begin.
      this.#connection.script('BEGIN IMMEDIATE');
      // A turn begins when the wait for other processes is over.
      if (this.#retryMs > FIRST_RETRY_MS) this.#turnBeganAt = this.#now();
      this.#retryMs = FIRST_RETRY_MS;
      return true;
    } catch (error) {
      const now = this.#now();
      const refused = isBusy(error) ? this.#waiting.filter((batch) => batch.deadline <= now) : this.#waiting;
      this.#waiting = this.#waiting.filter((batch) => !refused.includes(batch));
      for (const batch of refused) batch.reject(named(error));
      if (this.#waiting.length > 0) {
        setTimeout(() => this.#drain(), this.#retryMs);
        this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
      } else {
        this.#isScheduled = false;
        this.#onIdle?.();
      }
      return false;
    }
  }

  async #runGroup(group: readonly Batch[]): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    try {
      for (const batch of group) outcomes.push(this.#runOne(batch, group.length > 1));
      if (this.#connection.isInTransaction) await this.#connection.commit();
      return outcomes;
    } catch (error) {
      this.#rollBack();
      if (group.length === 1 || !isDamaged(error)) return group.map(() => ({ error }));
    }
    // A damaged index fails when its savepoint or the transaction ends, and then the others of the group with it.
    const alone: Outcome[] = [];
    for (const batch of group) alone.push(await this.#runAlone(batch));
    return alone;
  }

  async #runAlone(batch: Batch): Promise<Outcome> {
    try {
      this.#connection.script('BEGIN IMMEDIATE');
    } catch (error) {
      return { error };
    }
    const [outcome] = await this.#runGroup([batch]);
    return outcome as Outcome;
  }

  /** Callers get the error of their write, not that of the rollback. */
  #rollBack(): void {
    try {
      if (this.#connection.isInTransaction) this.#connection.run('ROLLBACK');
    } catch {
      // Nothing is committed, and `#begin` rolls back again first.
    }
  }

  /** Runs one batch of a group. Throws an error that has ended the whole transaction, such as a full disk, or the savepoint. */
  #runOne(batch: Batch, isShared: boolean): Outcome {
    if (isShared) this.#connection.run('SAVEPOINT batch');
    try {
      const results = batch.statements.map((statement) => this.#connection.run(statement));
      if (isShared) this.#connection.run('RELEASE batch');
      return { results };
    } catch (error) {
      if (!this.#connection.isInTransaction) throw error;
      try {
        this.#connection.run(isShared ? 'ROLLBACK TO batch' : 'ROLLBACK');
        if (isShared) this.#connection.run('RELEASE batch');
      } catch {
        // The caller needs the first error. `#runGroup` rolls back.
        throw error;
      }
      return { error };
    }
  }
}
