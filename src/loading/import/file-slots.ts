/** Lets so much work go on at the same time; what comes too early waits for its turn. */
export function createFileSlots(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let count = 0;
  return async (work) => {
    if (count >= most) await new Promise<void>((resolve) => void waiting.push(resolve));
    else count += 1;
    try {
      return await work();
    } finally {
      // Whoever waits takes over the place.
      const next = waiting.shift();
      if (next) next();
      else count -= 1;
    }
  };
}
