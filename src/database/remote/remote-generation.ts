import { findGeneration } from '../generation.ts';
import type { BatchResult, Step } from './hrana.ts';
import { toHranaStatement } from './hrana-values.ts';

/** How old the answer to `generation` may be. */
const MAX_AGE_MS = 500;

/** The statement that every batch carries along. */
export const READ_GENERATION = toHranaStatement(findGeneration());

/** What is known of the generation of a database on a server, from the answers to all requests. */
export class RemoteGeneration {
  #value: number | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  #learnedAt = Number.NEGATIVE_INFINITY;

  /** The number, if it is recent enough to be relied on. */
  get fresh(): number | undefined {
    return this.age < MAX_AGE_MS ? this.#value : undefined;
  }

  /** How long ago the request was sent that brought the number, in milliseconds. */
  get age(): number {
    return performance.now() - this.#sentAt;
  }

  /** Learns from the step that carried `READ_GENERATION`; it has failed where the table is not there yet. */
  learn({ step_results: results }: BatchResult, step: number, sentAt: number): void {
    const [value] = results[step]?.rows[0] ?? [];
    if (value?.type !== 'integer') return;
    const number = Number(value.value);
    // An answer that was overtaken may be of before; one that was sent for later is right, even on a restored database.
    const isOvertaken = this.#value !== undefined && number < this.#value && sentAt < this.#learnedAt;
    if (isOvertaken) return;
    if (number !== this.#value) this.#learnedAt = performance.now();
    this.#value = number;
    this.#sentAt = Math.max(this.#sentAt, sentAt);
  }
}

/** The step that brings the generation along. */
export function generationStep(condition?: Step['condition']): Step {
  return { stmt: READ_GENERATION, condition };
}
