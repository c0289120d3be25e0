import type { InStatement, ResultSet } from '@libsql/client';
import { isBusy, named, OutcomeUnknownError, tooLarge } from '../errors.ts';
import type { HranaStatement } from './hrana.ts';
import { StatementError, toHranaStatement } from './hrana.ts';
import type { RemoteConnection } from './remote-connection.ts';
import { RemoteFailure, unreachable } from './remote-failure.ts';
import type { RemoteGeneration } from './remote-generation.ts';
import { retry } from './retry.ts';
import { groupWrites, type Outcome } from './write-group.ts';

/** The maximum time of retries while another process writes, and while the server is not reachable. */
const BUSY_RETRY_MS = 5_000;
const CONNECT_RETRY_MS = 2_000;
const MAX_GROUP = 128;
/** The maximum size of the batches in one transaction: a replica forwards at most 4 MiB. */
const MAX_GROUP_CHARS = 1024 * 1024;
const MAX_FORWARDED_BYTES = 4 * 1024 * 1024;

interface Batch {
  readonly statements: readonly HranaStatement[];
  readonly chars: number;
  readonly queuedAt: number;
  readonly resolve: (results: ResultSet[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The only writer of a process. Waiting batches share one request and one transaction, with a savepoint each. A batch
 * resolves after the commit, never before.
 */
export class RemoteWriter {
  readonly #connection: RemoteConnection;
  readonly #generation: RemoteGeneration;
  readonly #beforeAnswers: () => Promise<void>;
  #waiting: Batch[] = [];
  #isScheduled = false;
  #onIdle: Array<() => void> = [];

  /** `beforeAnswers` is awaited after a commit, before the promises of its batches resolve. */
  constructor(
    connection: RemoteConnection,
    generation: RemoteGeneration,
    beforeAnswers: () => Promise<void> = async () => {},
  ) {
    this.#connection = connection;
    this.#generation = generation;
    this.#beforeAnswers = beforeAnswers;
  }

  /**
   * Runs all statements, or none. Rejects with the first error; `database-locked` after five seconds, `unavailable`
   * if the server is not reachable, and OutcomeUnknownError if it did not respond.
   */
  write(statements: readonly InStatement[]): Promise<ResultSet[]> {
    return new Promise((resolve, reject) => {
      const whole = statements.map(toHranaStatement);
      this.#waiting.push({ statements: whole, chars: charsOf(whole), queuedAt: performance.now(), resolve, reject });
      this.#schedule();
    });
  }

  /** Resolves when no write is pending. */
  whenIdle(): Promise<void> {
    if (!this.#isScheduled) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // After the requests that this turn of the event loop has brought, so that they come along.
    setImmediate(() => void this.#drain());
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) await this.#send(this.#take());
    this.#isScheduled = false;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #take(): Batch[] {
    let chars = 0;
    const end = this.#waiting.findIndex((batch, index) => {
      chars += batch.chars;
      return index > 0 && (index >= MAX_GROUP || chars > MAX_GROUP_CHARS);
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #send(batches: readonly Batch[]): Promise<void> {
    try {
      const outcomes = await retry(() => this.#attempt(batches), retryTimeout, batches[0]?.queuedAt);
      for (const [index, batch] of batches.entries()) settle(batch, outcomes[index] as Outcome);
    } catch (error) {
      if (isRejected(error) && batches.length > 1) {
        for (const batch of batches) await this.#send([batch]);
        return;
      }
      for (const batch of batches) batch.reject(failureOf(error, batch));
      // The waiting batches were not sent, and would fail for the same reason.
      if (!(error instanceof RemoteFailure) || error.isSingle) return;
      for (const batch of this.#waiting.splice(0)) batch.reject(unreachable(error));
    }
  }

  async #attempt(batches: readonly Batch[]): Promise<Outcome[]> {
    const group = groupWrites(batches.map(({ statements }) => statements));
    const sentAt = performance.now();
    const result = await this.#connection.write(group.steps);
    const { isCommitted, outcomes } = group.outcomes(result);
    if (!isCommitted) return outcomes;
    this.#generation.learn(result, group.generation, sentAt);
    try {
      await this.#beforeAnswers();
    } catch (error) {
      throw new OutcomeUnknownError(error);
    }
    return outcomes;
  }
}

function settle(batch: Batch, outcome: Outcome): void {
  if ('error' in outcome) batch.reject(named(outcome.error));
  else batch.resolve(outcome.results);
}

/** Returns how long an error is retried: only if the batch certainly did not run. */
function retryTimeout(error: unknown): number {
  if (error instanceof RemoteFailure && error.mayRecover && !error.mayBeDone) return CONNECT_RETRY_MS;
  return error instanceof StatementError && isBusy(error) ? BUSY_RETRY_MS : 0;
}

/** Returns true if the server rejected the whole request for an invalid statement, before it ran any. */
function isRejected(error: unknown): boolean {
  return error instanceof StatementError && error.code.startsWith('SQL_');
}

function failureOf(error: unknown, { statements }: Batch): unknown {
  // The primary has rejected the forwarded request.
  if (error instanceof RemoteFailure && error.isSingle && bytesOf(statements) > MAX_FORWARDED_BYTES)
    return tooLarge(error);
  if (error instanceof RemoteFailure) return error.mayBeDone ? new OutcomeUnknownError(error) : unreachable(error);
  if (error instanceof StatementError && !isRejected(error) && !isBusy(error)) return unknownOrNamed(error);
  return named(error);
}

/** Converts an error of a whole request. Without a code of SQLite the outcome is unknown: the response may be too long. */
function unknownOrNamed(error: StatementError): unknown {
  return error.code.startsWith('SQLITE_') ? named(error) : new OutcomeUnknownError(error);
}

/** The length in characters, which is faster to compute than in bytes. */
const charsOf = (statements: readonly HranaStatement[]) => lengthOf(statements, (text) => text.length);
const bytesOf = (statements: readonly HranaStatement[]) => lengthOf(statements, (text) => Buffer.byteLength(text));

function lengthOf(statements: readonly HranaStatement[], measure: (text: string) => number): number {
  let length = 0;
  for (const { args } of statements)
    for (const arg of args)
      length += arg.type === 'text' ? measure(arg.value) : arg.type === 'blob' ? arg.base64.length : 8;
  return length;
}
