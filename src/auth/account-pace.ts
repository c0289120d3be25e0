/** The time between two attempts on one account, and before the first. */
const INTERVAL_MS = 1_000;
/** Maximum number of attempts that wait for one account, and for all. */
const MAX_WAITING = 20;
const MAX_WAITING_IN_ALL = 500;

/** A place in the line of an account, or after how many seconds to try again. */
export type Turn = { hasCome: true } | { hasCome: false; retryAfterSeconds: number };

/** Lets attempts on an account through one after another, each after a wait. Accounts do not wait for each other. */
export interface AccountPace {
  /** Resolves when the turn of an attempt has come, or at once if the line is full. */
  takeTurn(account: string): Promise<Turn>;
}

export interface AccountPaceOptions {
  /** Milliseconds of a clock that is never set back. */
  now: () => number;
  sleep: (ms: number) => Promise<void>;
}

/** Creates the pace of this process: other processes of an installation each have one of their own. */
export function createAccountPace({ now, sleep }: AccountPaceOptions): AccountPace {
  /** The time of the last turn that was given, for accounts that somebody waits for. */
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
