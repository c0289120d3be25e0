import { ServiceError } from '../base/errors.ts';
import { DamagedDatabaseError } from './damage.ts';
import { adviceOf } from './repair-advice.ts';

/** A stored text that is not valid UTF-8. */
export interface DamagedText {
  /** True for the result of an expression, which may read other rows. */
  readonly isComputed: boolean;
  /** Undefined if it is computed, and from a server, which does not tell. */
  readonly table: string | undefined;
  readonly column: string;
  /** The id of the row, if the query selects it. */
  readonly id: number | string | undefined;
}

/** Advice for damage whose row is unknown. */
export const HOW_TO_FIND = 'Find its row with: repo storage verify --database';

/** Describes a damaged text with its row and the way to repair it. */
export function describeDamagedText({ isComputed, table, column, id }: DamagedText): string {
  if (isComputed) return `a text from which ${column} is computed is not valid UTF-8. ${HOW_TO_FIND}`;
  const row = table === undefined ? 'a row' : id === undefined ? `a row of ${table}` : `${table} ${id}`;
  const problem = `${row}: the text in its column ${column} is not valid UTF-8.`;
  return table === undefined || id === undefined ? `${problem} ${HOW_TO_FIND}` : `${problem} ${adviceOf(table)}`;
}

const NONE: readonly DamagedText[] = [];
const damages = new WeakMap<object, readonly DamagedText[]>();

/** Records the damaged texts of a row. */
export function markDamaged(row: object, damaged: readonly DamagedText[]): void {
  damages.set(row, [...damagedTextsOf(row), ...damaged]);
}

/** Returns the damaged texts of a row. */
export function damagedTextsOf(row: object): readonly DamagedText[] {
  return damages.get(row) ?? NONE;
}

/** Returns true if a column of a row is damaged. Other rows that an expression reads may be damaged. */
export function isDamagedRow(row: object): boolean {
  return damagedTextsOf(row).some(({ isComputed }) => !isComputed);
}

/** Throws `storage-failed` for a row with a damaged column. */
export function requireIntact(row: object): void {
  const damaged = damagedTextsOf(row).find(({ isComputed }) => !isComputed);
  if (damaged === undefined) return;
  throw damagedRow(describeDamagedText(damaged));
}

/** The error for a damaged row (500). The description, with the row and the way to repair it, is for the log. */
export function damagedRow(description: string): ServiceError {
  return new ServiceError(
    'storage-failed',
    'This is damaged in the database. The log of the server names the row, and how to repair it.',
    { cause: new DamagedDatabaseError(description) },
  );
}

/** Maximum number of rows that are remembered, so that each is reported once. */
const MAX_KNOWN = 10_000;

/** The damaged texts that a process has read from a database. */
export class DamageLog {
  readonly #known = new Map<string, DamagedText>();
  #listener: ((damaged: DamagedText) => void) | undefined;

  /** The number of damaged texts. */
  get count(): number {
    return this.#known.size;
  }

  add(damaged: DamagedText): void {
    const key = `${damaged.table} ${damaged.column} ${damaged.id}`;
    if (this.#known.has(key) || this.#known.size >= MAX_KNOWN) return;
    this.#known.set(key, damaged);
    this.#listener?.(damaged);
  }

  /** Calls `listener` once for each damaged text, also for those that were read before. */
  listen(listener: (damaged: DamagedText) => void): void {
    this.#listener = listener;
    for (const damaged of this.#known.values()) listener(damaged);
  }
}
