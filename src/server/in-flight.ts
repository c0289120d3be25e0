/** The work that goes on at the moment, counted: the work itself is not held on to. */
interface InFlight {
  readonly count: number;
  /** Counts a piece of work until it ends, and hands it on as it is. */
  follow<T>(work: Promise<T>): Promise<T>;
  /** Resolves once there is none, however it ended. */
  settled(): Promise<void>;
}

/** Counts from none. */
export function createInFlight(): InFlight {
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
