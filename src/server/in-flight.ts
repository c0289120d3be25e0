/** Counts running work. */
interface WorkCounter {
  readonly count: number;
  /** Counts work until it ends, and returns it. */
  follow<T>(work: Promise<T>): Promise<T>;
  /** Resolves when no work is running. */
  settled(): Promise<void>;
}

/** Creates a counter of running work. */
export function createInFlight(): WorkCounter {
  let count = 0;
  let waiting: (() => void)[] = [];
  const end = () => {
    count -= 1;
    if (count > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  return {
    get count() {
      return count;
    },
    follow(work) {
      count += 1;
      work.then(end, end);
      return work;
    },
    settled: () => (count === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
  };
}
