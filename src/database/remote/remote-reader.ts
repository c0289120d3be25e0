import type { InStatement, ResultSet } from '@libsql/client';
import type { DamageLog } from '../damaged-text.ts';
import { named } from '../errors.ts';
import type { BatchResult, HranaStatement, Step } from './hrana.ts';
import { INVALID_TEXT, StatementError, toHranaStatement, toResultSet } from './hrana.ts';
import { readAsBytes } from './read-as-bytes.ts';
import type { RemoteConnection } from './remote-connection.ts';
import { RemoteFailure, unreachable } from './remote-failure.ts';
import { generationStep, type RemoteGeneration } from './remote-generation.ts';
import { retry } from './retry.ts';

/** The maximum number of concurrent requests. Further reads wait and share the next request. */
const MAX_REQUESTS = 8;
const MAX_STATEMENTS = 64;
/** The maximum time of retries after a lost connection. */
const RETRY_MS = 2_000;

interface Read {
  readonly statements: readonly HranaStatement[];
  readonly resolve: (results: ResultSet[]) => void;
  readonly reject: (error: unknown) => void;
}

/** The reads of a process. Reads of one turn of the event loop share a request. */
export class RemoteReader {
  readonly #connection: RemoteConnection;
  readonly #generation: RemoteGeneration;
  readonly #damages: DamageLog;
  #waiting: Read[] = [];
  #requests = 0;
  #isScheduled = false;

  constructor(connection: RemoteConnection, generation: RemoteGeneration, damages: DamageLog) {
    this.#connection = connection;
    this.#generation = generation;
    this.#damages = damages;
  }

  /** Runs all statements on one snapshot. Rejects with the first error, and `unavailable`. */
  run(statements: readonly InStatement[]): Promise<ResultSet[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statements: statements.map(toHranaStatement), resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // After all reads of this turn of the event loop.
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#waiting.length > 0 && this.#requests < MAX_REQUESTS) void this.#send(this.#take());
    });
  }

  #take(): Read[] {
    let count = 0;
    const end = this.#waiting.findIndex(({ statements }, index) => {
      count += statements.length;
      return index > 0 && count > MAX_STATEMENTS;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #send(reads: readonly Read[]): Promise<void> {
    this.#requests++;
    await this.#answer(reads);
    this.#requests--;
    if (this.#waiting.length > 0) this.#schedule();
  }

  async #answer(reads: readonly Read[]): Promise<void> {
    try {
      const { steps, positions } = stepsOf(reads);
      const { result, sentAt } = await retry(async () => {
        const sentAt = performance.now();
        return { result: await this.#connection.read(steps), sentAt };
      }, retryTimeout);
      this.#generation.learn(
        result,
        steps.findIndex(({ stmt }) => stmt === GENERATION.stmt),
        sentAt,
      );
      for (const [index, read] of reads.entries()) settle(read, result, positions[index] as number);
    } catch (error) {
      if (error instanceof StatementError && reads.length > 1) {
        // One statement is invalid, or the response would be too long: halve the request, so that the other reads succeed.
        const half = reads.length >> 1;
        await this.#answer(reads.slice(0, half));
        await this.#answer(reads.slice(half));
        return;
      }
      const [only] = reads;
      if (error instanceof StatementError && error.code === INVALID_TEXT && only !== undefined) {
        await this.#answerAsBytes(only);
        return;
      }
      // The waiting reads would fail for the same reason.
      const concernsAll = error instanceof RemoteFailure && !error.isSingle;
      const failed = concernsAll ? [...reads, ...this.#waiting.splice(0)] : reads;
      for (const read of failed) read.reject(error instanceof RemoteFailure ? unreachable(error) : named(error));
    }
  }

  /** Answers a read of which a text is not UTF-8. */
  async #answerAsBytes({ statements, resolve, reject }: Read): Promise<void> {
    try {
      resolve(await readAsBytes(this.#connection, statements, this.#damages));
    } catch (error) {
      reject(error instanceof RemoteFailure ? unreachable(error) : named(error));
    }
  }
}

const GENERATION = generationStep();

function retryTimeout(error: unknown): number {
  return error instanceof RemoteFailure && error.mayRecover ? RETRY_MS : 0;
}

/** Returns the steps of a request, and the first step of each read. The generation comes first, so that it is never too new. */
function stepsOf(reads: readonly Read[]): { steps: Step[]; positions: number[] } {
  const isSnapshot = reads.some(({ statements }) => statements.length > 1);
  const steps: Step[] = isSnapshot ? [{ stmt: BEGIN }] : [];
  steps.push(GENERATION);
  const positions: number[] = [];
  for (const { statements } of reads) {
    positions.push(steps.length);
    for (const stmt of statements) steps.push({ stmt, condition: isSnapshot ? { type: 'ok', step: 0 } : undefined });
  }
  if (isSnapshot) steps.push({ stmt: COMMIT, condition: { type: 'ok', step: 0 } });
  return { steps, positions };
}

const BEGIN = toHranaStatement('BEGIN TRANSACTION READONLY');
const COMMIT = toHranaStatement('COMMIT');

function settle({ statements, resolve, reject }: Read, result: BatchResult, position: number): void {
  try {
    const results = statements.map((_, index) => {
      const answer = result.step_results[position + index];
      if (answer) return toResultSet(answer);
      const error = result.step_errors[position + index] ?? result.step_errors[0];
      throw new StatementError(error ?? { message: 'the server skipped a statement' });
    });
    resolve(results);
  } catch (error) {
    reject(named(error));
  }
}
