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

/** The result of an attempt to sign in. `blocked` does not reveal whether the password was right. */
type LoginOutcome =
  | { type: 'right' }
  | { type: 'wrong' }
  | { type: 'blocked'; event: FloodEvent; retryAfterSeconds: number };

interface LoginAttempt {
  name: string;
  /** The address of the client (`clientAddress`). Attempts without an address count together. */
  address: string | undefined;
  /** Returns true if the password is right. Its errors are passed on and do not count as failures. */
  verify: () => Promise<boolean>;
  /** Queues attempts on an account after too many failures from all addresses. */
  pace: AccountPace;
  /** The failures so far, if they have just been read (`readFailures`). */
  before?: Failures | undefined;
  /** Called when the password is right. The result must not be used yet: too many attempts may have failed meanwhile. */
  onRight?: (() => void) | undefined;
}

/**
 * Checks a password unless too many attempts have failed. A failure counts for the user and the address. A success deletes
 * the user's failures. An attempt is also blocked if the limit is reached during its check, so that parallel guesses get
 * no more results than sequential ones. After too many failures of an account, each result waits for its turn. A success
 * does not end that: otherwise the owner's sign-ins would reset the limit for an attacker.
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
  // Writes only if there are failures: basic authentication calls this with every request. Keeps failures of concurrent
  // attempts, which were not read.
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

type LoginOrigin = Pick<LoginAttempt, 'name' | 'address'>;

function identifiersOf({ name, address = 'unknown' }: LoginOrigin): Identifiers {
  return {
    'login-by-user': userIdentifier(name, address),
    'login-by-address': addressIdentifier(address),
    'login-by-account': accountIdentifier(name),
  };
}

/** Returns the failures that count for an attempt at a time, in milliseconds since the epoch. */
export function readFailures(attempted: LoginOrigin, store: FloodStore, now: number): Promise<Failures> {
  return store.latest(identifiersOf(attempted), now);
}

function blocked({ event, retryAfterSeconds }: Extract<FloodVerdict, { isAllowed: false }>): LoginOutcome {
  return { type: 'blocked', event, retryAfterSeconds };
}
