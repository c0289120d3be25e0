import type { Database } from '../../database/database.ts';
import { GenerationMemory } from '../../database/generation-memory.ts';
import { type TermRow, toTerm } from './neighbour-rows.ts';
import type { Neighbour } from './surroundings.ts';
import { TERMS } from './surroundings-queries.ts';

const MAX_REMEMBERED = 20_000;

/** Terms beside content. They are remembered as long as none changes: nearly everything refers to the same few. */
export class KnownTerms {
  readonly #database: Database;
  readonly #memory: GenerationMemory<number, Neighbour>;

  constructor(database: Database) {
    this.#database = database;
    this.#memory = new GenerationMemory(database, MAX_REMEMBERED);
  }

  /** Those of the ids whose terms are not remembered, each once. */
  missing(ids: readonly number[]): number[] {
    const known = this.#memory.current();
    return [...new Set(ids)].filter((id) => !known.has(id));
  }

  /** The terms for one answer. To be asked for before anything is read that the answer is made from. */
  forAnswer(): AnswerTerms {
    return new AnswerTerms(this.#database, this.#memory);
  }
}

/** Terms as they were when an answer was begun, or newer. */
export class AnswerTerms {
  readonly #database: Database;
  readonly #memory: GenerationMemory<number, Neighbour>;
  readonly #known: Map<number, Neighbour>;
  readonly #found = new Map<number, Neighbour>();

  constructor(database: Database, memory: GenerationMemory<number, Neighbour>) {
    this.#database = database;
    this.#memory = memory;
    this.#known = memory.current();
  }

  /** Adds terms that something else brought along, with the generation in which they were read. */
  add(rows: readonly TermRow[], generation: number): void {
    for (const row of rows) {
      const value = toTerm(row);
      this.#found.set(value.id, value);
      this.#memory.rememberDated(value.id, { value, generation });
    }
  }

  /** Reads those of the ids that are not known yet, in one query. */
  async complete(ids: readonly number[]): Promise<void> {
    const missing = ids.filter((id) => this.find(id) === undefined);
    if (missing.length === 0) return;
    const { rows } = await this.#database.client.execute({ sql: TERMS, args: [JSON.stringify([...new Set(missing)])] });
    for (const row of rows) {
      const term = toTerm(row as unknown as TermRow);
      this.#found.set(term.id, term);
      this.#memory.remember(this.#known, term.id, term);
    }
  }

  find = (id: number): Neighbour | undefined => this.#known.get(id) ?? this.#found.get(id);
}
