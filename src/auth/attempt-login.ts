import type { AccountPace } from './account-pace.ts';
import {
  accountIdentifier,
  addressIdentifier,
  type Failures,
  type FloodEvent,
  type FloodStore,
  type FloodVerdict,
  floodVerdict,
  type Identifiers,
  isUnderAttack,
  KEPT_MS,
  userIdentifier,
} from './flood.ts';

/** How an attempt to sign in ended. Of a `blocked` one it stays unknown whether the password was right. */
export type LoginOutcome =
  | { type: 'right' }
  | { type: 'wrong' }
  | { type: 'blocked'; event: FloodEvent; retryAfterSeconds: number };

export interface LoginAttempt {
  name: string;
  /** Where it comes from, as `clientAddress` gives it; all that come from nowhere count as one. */
  address: string | undefined;
  /** Whether the password is right; what it throws is passed on and counts as no failure. */
  verify: () => Promise<boolean>;
  /** Queues attempts on one account once too many have failed from all addresses together. */
  pace: AccountPace;
  /** The failures until now, if they were read a moment ago (`readFailures`). */
  before?: Failures | undefined;
  /** Called as soon as the password is right. Nobody may be told anything yet: too many may have failed meanwhile. */
  onRight?: (() => void) | undefined;
}

/**
 * Lets someone try a password unless too many have failed, and counts: a failure for the user and the address, a
 * success by forgetting the user's failures. An attempt is also blocked if the limit was reached while its password was
 * being checked: parallel guesses get no more answers than sequential ones. After too many failures of an account, each
 * answer waits for its turn. A success does not end that: otherwise the owner's sign-ins would reset the limit for an
 * attacker.
 */
export async function attemptLogin(attempt: LoginAttempt, store: FloodStore, now: () => number): Promise<LoginOutcome> {
  const identifiers = identifiersOf(attempt);
  const before = attempt.before ?? (await readFailures(attempt, store, now()));
  const verdict = floodVerdict(before, now());
  if (!verdict.isAllowed) return blocked(verdict);
  const wasUnderAttack = isUnderAttack(before, now());
  const turn = wasUnderAttack ? await takeTurn(attempt) : undefined;
  if (turn) return turn;

  const isRight = await attempt.verify();
  if (isRight) attempt.onRight?.();
  const after = await readFailures(attempt, store, now());
  const verdictAfter = floodVerdict(after, now());
  if (!verdictAfter.isAllowed) return blocked(verdictAfter);
  const turnAfter = !wasUnderAttack && isUnderAttack(after, now()) ? await takeTurn(attempt) : undefined;
  if (turnAfter) return turnAfter;
  if (!isRight) {
    await store.record(identifiers, now(), now() + KEPT_MS);
    return { type: 'wrong' };
  }
  // Basic authentication comes here with every request: it must not write each time.
  // Nor does it forget failures that it has not seen: those of guesses which were made at the same time.
  const [newest] = after['login-by-user'];
  if (newest !== undefined) await store.clear('login-by-user', identifiers['login-by-user'], newest);
  return { type: 'right' };
}

/** Waits for the turn of an attempt. Returns the outcome `blocked` if the queue is full. */
async function takeTurn({ name, pace }: LoginAttempt): Promise<LoginOutcome | undefined> {
  const turn = await pace.takeTurn(accountIdentifier(name));
  if (turn.hasCome) return undefined;
  return { type: 'blocked', event: 'login-by-account', retryAfterSeconds: turn.retryAfterSeconds };
}

type Attempted = Pick<LoginAttempt, 'name' | 'address'>;

function identifiersOf({ name, address = 'unknown' }: Attempted): Identifiers {
  return {
    'login-by-user': userIdentifier(name, address),
    'login-by-address': addressIdentifier(address),
    'login-by-account': accountIdentifier(name),
  };
}

/** Returns the failures that count for an attempt at a time, in milliseconds since the epoch. */
export function readFailures(attempted: Attempted, store: FloodStore, now: number): Promise<Failures> {
  return store.latest(identifiersOf(attempted), now);
}

function blocked({ event, retryAfterSeconds }: Extract<FloodVerdict, { isAllowed: false }>): LoginOutcome {
  return { type: 'blocked', event, retryAfterSeconds };
}
