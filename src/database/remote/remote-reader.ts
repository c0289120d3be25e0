import type { InStatement, ResultSet } from '@libsql/client';
import { named } from '../errors.ts';
import { withPatience } from '../with-patience.ts';
import type { BatchResult, HranaStatement, Step } from './hrana.ts';
import { StatementError, toHranaStatement, toResultSet } from './hrana-values.ts';
import type { RemoteConnection } from './remote-connection.ts';
import { RemoteFailure, unreachable } from './remote-failure.ts';
import { generationStep, type RemoteGeneration } from './remote-generation.ts';

/** Requests under way at a time; what is asked for meanwhile goes together in the next. */
const MAX_UNDER_WAY = 8;
const MAX_STATEMENTS = 64;
/** How long a read is tried that changes nothing where the connection broke. */
const PATIENCE_MS = 2_000;

interface Ask {
  readonly statements: readonly HranaStatement[];
  readonly resolve: (results: ResultSet[]) => void;
  readonly reject: (error: unknown) => void;
}

/** The reads of a process: those of one turn of the event loop share a request. */
export class RemoteReader {
  readonly #connection: RemoteConnection;
  readonly #generation: RemoteGeneration;
  #waiting: Ask[] = [];
  #underWay = 0;
  #isScheduled = false;

  constructor(connection: RemoteConnection, generation: RemoteGeneration) {
    this.#connection = connection;
    this.#generation = generation;
  }

  /** All of the statements on one snapshot. Rejects with what failed of them, and `unavailable`. */
  run(statements: readonly InStatement[]): Promise<ResultSet[]> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ statements: statements.map(toHranaStatement), resolve, reject });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // After everything that this turn of the event loop asks for.
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#waiting.length > 0 && this.#underWay < MAX_UNDER_WAY) void this.#send(this.#take());
    });
  }

  #take(): Ask[] {
    let count = 0;
    const end = this.#waiting.findIndex(({ statements }, index) => {
      count += statements.length;
      return index > 0 && count > MAX_STATEMENTS;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #send(asks: readonly Ask[]): Promise<void> {
    this.#underWay++;
    await this.#answer(asks);
    this.#underWay--;
    if (this.#waiting.length > 0) this.#schedule();
  }

  async #answer(asks: readonly Ask[]): Promise<void> {
    try {
      const { steps, positions } = stepsOf(asks);
      const { result, sentAt } = await withPatience(async () => {
        const sentAt = performance.now();
        return { result: await this.#connection.read(steps), sentAt };
      }, patienceFor);
      this.#generation.learn(
        result,
        steps.findIndex(({ stmt }) => stmt === GENERATION.stmt),
        sentAt,
      );
      for (const [index, ask] of asks.entries()) settle(ask, result, positions[index] as number);
    } catch (error) {
      if (error instanceof StatementError && asks.length > 1) {
        // One that the server does not take, or all together too long an answer: the others are not to suffer from it.
        const half = asks.length >> 1;
        await this.#answer(asks.slice(0, half));
        await this.#answer(asks.slice(half));
        return;
      }
      // What waits would only learn the same later.
      const isOfAll = error instanceof RemoteFailure && !error.isOfOne;
      const failed = isOfAll ? [...asks, ...this.#waiting.splice(0)] : asks;
      for (const ask of failed) ask.reject(error instanceof RemoteFailure ? unreachable(error) : named(error));
    }
  }
}

const GENERATION = generationStep();

function patienceFor(error: unknown): number {
  return error instanceof RemoteFailure && error.mayPass ? PATIENCE_MS : 0;
}

/** The steps of a request, and where each ask's begin. The generation comes first: what is read after it is newer. */
function stepsOf(asks: readonly Ask[]): { steps: Step[]; positions: number[] } {
  const isSnapshot = asks.some(({ statements }) => statements.length > 1);
  const steps: Step[] = isSnapshot ? [{ stmt: BEGIN }] : [];
  steps.push(GENERATION);
  const positions: number[] = [];
  for (const { statements } of asks) {
    positions.push(steps.length);
    for (const stmt of statements) steps.push({ stmt, condition: isSnapshot ? { type: 'ok', step: 0 } : undefined });
  }
  if (isSnapshot) steps.push({ stmt: COMMIT, condition: { type: 'ok', step: 0 } });
  return { steps, positions };
}

const BEGIN = toHranaStatement('BEGIN TRANSACTION READONLY');
const COMMIT = toHranaStatement('COMMIT');

function settle({ statements, resolve, reject }: Ask, result: BatchResult, position: number): void {
  try {
    const results = statements.map((_, index) => {
      const answer = result.step_results[position + index];
      if (answer) return toResultSet(answer);
      const error = result.step_errors[position + index] ?? result.step_errors[0];
      throw new StatementError(error ?? { message: 'the server left a statement out' });
    });
    resolve(results);
  } catch (error) {
    reject(named(error));
  }
}
