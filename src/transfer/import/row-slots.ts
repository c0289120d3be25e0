import { setImmediate as nextTurn } from 'node:timers/promises';

/** How many rows are loaded at the same time: those whose writes wait together share a commit. */
const MAX_ROWS = 256;
/** So many are begun in one turn of the event loop: half of them are made ready while the others are written. */
const ROWS_OF_A_TURN = MAX_ROWS / 2;
/** Of their cells, so that long texts take no more memory than short ones. */
const MAX_CHARS = 16_000_000;

/** Room for work that goes on side by side. */
export interface RowSlots {
  /** Begins work as soon as there is room for it; resolves when it has begun. Its failure is told to `fail`. */
  begin(chars: number, work: () => Promise<void>): Promise<void>;
  /** Resolves when something has ended, or at once if nothing is under way. */
  someEnded(): Promise<void>;
  /** Resolves when nothing is under way any more. */
  allEnded(): Promise<void>;
  readonly count: number;
}

/** Slots of which the first failure of work is told; whoever is told has to see to it that no more is begun. */
export function createRowSlots(fail: (error: unknown) => void): RowSlots {
  let [count, chars, begun] = [0, 0, 0];
  let wake: (() => void) | undefined;
  let isWaking = false;

  /** In the next turn: by then the writes that were waiting are on their way, and while the disk is at them rows are made ready. */
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
      if (begun % ROWS_OF_A_TURN === 0) await nextTurn();
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
