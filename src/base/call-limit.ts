/** Runs work when its turn comes. */
export type CallLimit = <T>(work: () => Promise<T>) => Promise<T>;

/** Creates a limit for the number of concurrent calls. */
export function createCallLimit(most: number): CallLimit {
  const waiting: (() => void)[] = [];
  let count = 0;
  return async (work) => {
    if (count >= most) await new Promise<void>((resolve) => void waiting.push(resolve));
    else count += 1;
    try {
      return await work();
    } finally {
      // A waiting call takes over the slot.
      const next = waiting.shift();
      if (next) next();
      else count -= 1;
    }
  };
}
