/** The wait between two attempts on one account, and before the first, in milliseconds. */
const INTERVAL_MS = 1_000;
/** Maximum number of waiting attempts for one account, and for all together. */
const MAX_WAITING = 20;
const MAX_WAITING_IN_ALL = 500;

/** The result of waiting in the queue of an account: its turn has come, or the seconds until another attempt. */
type Turn = { hasCome: true } | { hasCome: false; retryAfterSeconds: number };

/** Queues the attempts on an account and lets one through per interval. Each account has its own queue. */
export interface AccountPace {
  /** Resolves when the turn of an attempt has come, or at once if the queue is full. */
  takeTurn(account: string): Promise<Turn>;
}

interface AccountPaceOptions {
  /** Returns the milliseconds of a monotonic clock. */
  now: () => number;
  sleep: (ms: number) => Promise<void>;
}

/** Creates the queues of this process. Each process of an installation has its own. */
export function createAccountPace({ now, sleep }: AccountPaceOptions): AccountPace {
  /** The time of the last assigned turn of each account that has attempts waiting. */
  const lastTurns = new Map<string, number>();
  let waiting = 0;

  return {
    async takeTurn(account) {
      const time = now();
      const turn = Math.max(lastTurns.get(account) ?? 0, time) + INTERVAL_MS;
      const waitMs = turn - time;
      if (waitMs > MAX_WAITING * INTERVAL_MS || waiting >= MAX_WAITING_IN_ALL)
        return { hasCome: false, retryAfterSeconds: Math.ceil(waitMs / 1000) };
      lastTurns.set(account, turn);
      waiting += 1;
      try {
        await sleep(waitMs);
      } finally {
        waiting -= 1;
        if (lastTurns.get(account) === turn) lastTurns.delete(account);
      }
      return { hasCome: true };
    },
  };
}
