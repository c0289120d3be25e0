import { findGeneration } from '../dated.ts';
import type { BatchResult, Step } from './hrana.ts';
import { toHranaStatement } from './hrana.ts';

/** The maximum age of a generation that is used without asking the server. */
const MAX_AGE_MS = 500;

/** The statement that each batch includes. */
const READ_GENERATION = toHranaStatement(findGeneration());

/** The generation of a database on a server, learned from the responses to all requests. */
export class RemoteGeneration {
  #value: number | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  #learnedAt = Number.NEGATIVE_INFINITY;

  /** The generation, if it is recent enough. */
  get fresh(): number | undefined {
    return this.age < MAX_AGE_MS ? this.#value : undefined;
  }

  /** The age of the generation since its request was sent, in milliseconds. */
  get age(): number {
    return performance.now() - this.#sentAt;
  }

  /** Takes the generation from the result of a step. The step has failed if the table does not exist yet. */
  learn({ step_results: results }: BatchResult, step: number, sentAt: number): void {
    const [value] = results[step]?.rows[0] ?? [];
    if (value?.type !== 'integer') return;
    const number = Number(value.value);
    // A lower number is outdated if its request is older; otherwise the database was restored.
    const isOutdated = this.#value !== undefined && number < this.#value && sentAt < this.#learnedAt;
    if (isOutdated) return;
    if (number !== this.#value) this.#learnedAt = performance.now();
    this.#value = number;
    this.#sentAt = Math.max(this.#sentAt, sentAt);
  }
}

/** Returns the step that reads the generation. */
export function generationStep(condition?: Step['condition']): Step {
  return { stmt: READ_GENERATION, condition };
}
