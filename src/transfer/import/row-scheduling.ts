import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RowPlan } from '../table/row-plan.ts';

/** Maximum number of rows that are loaded concurrently. Rows whose writes wait together share a commit. */
const MAX_ROWS = 256;
/** Number of rows that start in one turn of the event loop: half are prepared while the others are written. */
const ROWS_PER_TURN = MAX_ROWS / 2;
/** Maximum number of characters in the cells of concurrent rows, which bounds the memory for long texts. */
const MAX_CHARS = 16_000_000;
/** Maximum number of characters in the cells of waiting rows. */
const MAX_WAITING_CHARS = 32_000_000;
/** Memory of a waiting row besides its cells, as a number of characters. */
const ROW_CHARS = 500;

/** Slots for work on rows that runs concurrently. */
interface RowSlots {
  /** Starts work when a slot is free, and then resolves. Errors of the work go to `fail`. */
  begin(chars: number, work: () => Promise<void>): Promise<void>;
  /** Resolves when some work has ended, or at once if none is running. */
  someEnded(): Promise<void>;
  /** Resolves when all work has ended. */
  allEnded(): Promise<void>;
  readonly count: number;
}

/** Creates the slots. After a call of `fail`, the caller must start no more work. */
export function createRowSlots(fail: (error: unknown) => void): RowSlots {
  let [count, chars, begun] = [0, 0, 0];
  let wake: (() => void) | undefined;
  let isWaking = false;

  /** Wakes in the next turn: the waiting writes have started by then, and rows are prepared while the disk works. */
  function wakeLater(): void {
    if (isWaking) return;
    isWaking = true;
    setImmediate(() => {
      isWaking = false;
      wake?.();
    });
  }

  const someEnded = () =>
    count === 0
      ? Promise.resolve()
      : new Promise<void>((resolve) => {
          wake = resolve;
        });
  return {
    async begin(weight, work) {
      while (count >= MAX_ROWS || (count > 0 && chars + weight > MAX_CHARS)) await someEnded();
      begun += 1;
      if (begun % ROWS_PER_TURN === 0) await nextTurn();
      count += 1;
      chars += weight;
      void work()
        .catch(fail)
        .finally(() => {
          count -= 1;
          chars -= weight;
          wakeLater();
        });
    },
    someEnded,
    async allEnded() {
      while (count > 0) await someEnded();
    },
    get count() {
      return count;
    },
  };
}

/** A row with its plan. */
export interface PlannedRow {
  readonly plan: RowPlan;
  /** Number of characters in its cells. */
  readonly chars: number;
}

/** Rows that wait because their parents come later in the table. */
interface WaitingRows {
  /** Keeps a row until its parent exists. Drops the rows that have waited longest if there are too many. */
  add(parentId: string, row: PlannedRow): void;
  /** Removes and returns the rows that wait for a parent. */
  take(parentId: string): PlannedRow[];
  /** True if rows were dropped: they must be read again. */
  readonly hasLost: boolean;
}

export function createWaitingRows(maxChars = MAX_WAITING_CHARS): WaitingRows {
  const rows = new Map<string, PlannedRow[]>();
  let chars = 0;
  let hasLost = false;
  const take = (parentId: string): PlannedRow[] => {
    const children = rows.get(parentId) ?? [];
    rows.delete(parentId);
    for (const row of children) chars -= row.chars + ROW_CHARS;
    return children;
  };
  return {
    add(parentId, row) {
      const siblings = rows.get(parentId);
      if (siblings) siblings.push(row);
      else rows.set(parentId, [row]);
      chars += row.chars + ROW_CHARS;
      while (chars > maxChars) {
        const oldest = rows.keys().next().value as string;
        take(oldest);
        hasLost = true;
      }
    },
    take,
    get hasLost() {
      return hasLost;
    },
  };
}
