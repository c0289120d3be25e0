import type { InStatement, ResultSet } from '@libsql/client';
import { isBusy, named } from '../errors.ts';
import type { LocalConnection } from './local-connection.ts';

/** How long a write waits for a database that another process holds. */
const MAX_WAIT_MS = 5_000;
const FIRST_RETRY_MS = 2;
const MAX_RETRY_MS = 50;
/** Batches in one commit: enough to share the cost of the disk, few enough to keep the first one's wait short. */
const MAX_GROUP = 128;

interface Batch {
  readonly statements: readonly InStatement[];
  readonly resolve: (results: ResultSet[]) => void;
  readonly reject: (error: unknown) => void;
  readonly deadline: number;
}

type Outcome = { results: ResultSet[] } | { error: unknown };

/**
 * The one writer of a process. Batches that wait at the same moment share one commit, and so one flush of
 * the disk; each has its own savepoint, so that one that fails takes no other with it. A batch is answered
 * after the commit, never before.
 */
export class WriteQueue {
  readonly #connection: LocalConnection;
  readonly #beforeAnswers: () => void;
  #waiting: Batch[] = [];
  /** Whether a drain is on its way or at work: until its commit is done, everything else waits. */
  #isScheduled = false;
  #afterwards: (() => void) | undefined;
  #retryMs = FIRST_RETRY_MS;

  /** `beforeAnswers` is called when a group is done, before its callers learn of it. */
  constructor(connection: LocalConnection, beforeAnswers: () => void = () => {}) {
    this.#connection = connection;
    this.#beforeAnswers = beforeAnswers;
  }

  /** Runs all of the statements, or none. Rejects with the first failure; `database-locked` after five seconds. */
  write(statements: readonly InStatement[]): Promise<ResultSet[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statements, resolve, reject, deadline: performance.now() + MAX_WAIT_MS });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // After the requests that this turn of the event loop has brought, so that they come along.
    setImmediate(() => this.#drain());
  }

  /** Resolves as soon as nothing is being committed. */
  whenIdle(): Promise<void> {
    if (!this.#isScheduled) return Promise.resolve();
    return new Promise((resolve) => {
      this.#afterwards = resolve;
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
    if (this.#waiting.length > 0) this.#schedule();
    else this.#afterwards?.();
  }

  /** Starts the transaction, or arranges another try; batches that have waited too long are told. */
  #begin(): boolean {
    try {
      if (this.#connection.isInTransaction) this.#connection.run('ROLLBACK');
      // Not a kept statement: one that found the database locked stays half done, and the next read cannot begin.
      this.#connection.script('BEGIN IMMEDIATE');
      this.#retryMs = FIRST_RETRY_MS;
      return true;
    } catch (error) {
      const now = performance.now();
      const refused = isBusy(error) ? this.#waiting.filter((batch) => batch.deadline <= now) : this.#waiting;
      this.#waiting = this.#waiting.filter((batch) => !refused.includes(batch));
      for (const batch of refused) batch.reject(named(error));
      if (this.#waiting.length > 0) {
        setTimeout(() => this.#drain(), this.#retryMs);
        this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
      } else {
        this.#isScheduled = false;
        this.#afterwards?.();
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
      return group.map(() => ({ error }));
    }
  }

  /** The callers learn why their write failed, not why the way back did too. */
  #rollBack(): void {
    try {
      if (this.#connection.isInTransaction) this.#connection.run('ROLLBACK');
    } catch {
      // Nothing is committed, and `#begin` tries to roll back again before it starts anything.
    }
  }

  /** One batch of a group. Throws what has undone the whole transaction, as a full disk does. */
  #runOne(batch: Batch, hasCompany: boolean): Outcome {
    if (hasCompany) this.#connection.run('SAVEPOINT batch');
    try {
      const results = batch.statements.map((statement) => this.#connection.run(statement));
      if (hasCompany) this.#connection.run('RELEASE batch');
      return { results };
    } catch (error) {
      if (!this.#connection.isInTransaction) throw error;
      this.#connection.run(hasCompany ? 'ROLLBACK TO batch' : 'ROLLBACK');
      if (hasCompany) this.#connection.run('RELEASE batch');
      return { error };
    }
  }
}
