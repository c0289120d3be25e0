import type { InStatement, ResultSet } from '@libsql/client';
import { isBusy, named, OutcomeUnknownError, tooLarge } from '../errors.ts';
import { withPatience } from '../with-patience.ts';
import type { HranaStatement } from './hrana.ts';
import { StatementError, toHranaStatement } from './hrana-values.ts';
import type { RemoteConnection } from './remote-connection.ts';
import { RemoteFailure, unreachable } from './remote-failure.ts';
import type { RemoteGeneration } from './remote-generation.ts';
import { groupWrites, type Outcome } from './write-group.ts';

/** How long a write waits for a database that another process is writing to, and for a server that is not there. */
const BUSY_PATIENCE_MS = 5_000;
const REFUSED_PATIENCE_MS = 2_000;
const MAX_GROUP = 128;
/** Batches in one transaction are together no longer: a replica passes on 4 MiB at most. */
const MAX_GROUP_CHARS = 1024 * 1024;
const MAX_PASSED_ON_BYTES = 4 * 1024 * 1024;

interface Batch {
  readonly statements: readonly HranaStatement[];
  readonly chars: number;
  readonly askedAt: number;
  readonly resolve: (results: ResultSet[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The one writer of a process. Batches that wait at the same moment go together: one request, one transaction, a
 * savepoint each. A batch is answered after the commit was, never before.
 */
export class RemoteWriter {
  readonly #connection: RemoteConnection;
  readonly #generation: RemoteGeneration;
  readonly #beforeAnswers: () => Promise<void>;
  #waiting: Batch[] = [];
  #isScheduled = false;
  #afterwards: Array<() => void> = [];

  /** `beforeAnswers` is awaited when something was committed, before its callers learn of it. */
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
   * Runs all of the statements, or none. Rejects with the first failure; `database-locked` after five seconds,
   * `unavailable` without the server, OutcomeUnknownError if it did not answer.
   */
  write(statements: readonly InStatement[]): Promise<ResultSet[]> {
    return new Promise((resolve, reject) => {
      const whole = statements.map(toHranaStatement);
      this.#waiting.push({ statements: whole, chars: charsOf(whole), askedAt: performance.now(), resolve, reject });
      this.#schedule();
    });
  }

  /** Resolves as soon as nothing is being written. */
  whenIdle(): Promise<void> {
    if (!this.#isScheduled) return Promise.resolve();
    return new Promise((resolve) => this.#afterwards.push(resolve));
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
    for (const resolve of this.#afterwards.splice(0)) resolve();
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
      const outcomes = await withPatience(() => this.#attempt(batches), patienceFor, batches[0]?.askedAt);
      for (const [index, batch] of batches.entries()) settle(batch, outcomes[index] as Outcome);
    } catch (error) {
      if (isUntaken(error) && batches.length > 1) {
        for (const batch of batches) await this.#send([batch]);
        return;
      }
      for (const batch of batches) batch.reject(failureOf(error, batch));
      // What waits was not sent, and would only learn the same later.
      if (!(error instanceof RemoteFailure) || error.isOfOne) return;
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

/** Only what certainly was not done is tried again. */
function patienceFor(error: unknown): number {
  if (error instanceof RemoteFailure && error.mayPass && !error.mayBeDone) return REFUSED_PATIENCE_MS;
  return error instanceof StatementError && isBusy(error) ? BUSY_PATIENCE_MS : 0;
}

/** Whether the server refused the request as a whole for one of its statements, before it ran any. */
function isUntaken(error: unknown): boolean {
  return error instanceof StatementError && error.code.startsWith('SQL_');
}

function failureOf(error: unknown, { statements }: Batch): unknown {
  // The primary of a replica has refused the whole of it.
  if (error instanceof RemoteFailure && error.isOfOne && bytesOf(statements) > MAX_PASSED_ON_BYTES)
    return tooLarge(error);
  if (error instanceof RemoteFailure) return error.mayBeDone ? new OutcomeUnknownError(error) : unreachable(error);
  if (error instanceof StatementError && !isUntaken(error) && !isBusy(error)) return unknownOrNamed(error);
  return named(error);
}

/** A request that failed as a whole for another reason than its text, such as an answer that became too long. */
function unknownOrNamed(error: StatementError): unknown {
  return error.code.startsWith('SQLITE_') ? named(error) : new OutcomeUnknownError(error);
}

/** Bytes take longer to count. */
const charsOf = (statements: readonly HranaStatement[]) => lengthOf(statements, (text) => text.length);
const bytesOf = (statements: readonly HranaStatement[]) => lengthOf(statements, (text) => Buffer.byteLength(text));

function lengthOf(statements: readonly HranaStatement[], measure: (text: string) => number): number {
  let length = 0;
  for (const { args } of statements)
    for (const arg of args)
      length += arg.type === 'text' ? measure(arg.value) : arg.type === 'blob' ? arg.base64.length : 8;
  return length;
}
