import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The counters of failures: of a user at one address, of an address, and of a user at all addresses. */
export type FloodEvent = 'login-by-user' | 'login-by-address' | 'login-by-account';

/**
 * The number of failures in a time window after which attempts are blocked (spec: rest-behaviour, 8.1). The limit of an
 * account only queues further attempts (`AccountPace`): a block would let anyone lock its owner out.
 */
export const FLOOD_LIMITS = {
  'login-by-user': { maxFailures: 5, windowMs: 6 * HOUR_MS },
  'login-by-address': { maxFailures: 50, windowMs: HOUR_MS },
  'login-by-account': { maxFailures: 100, windowMs: 6 * HOUR_MS },
} as const satisfies Record<FloodEvent, { maxFailures: number; windowMs: number }>;

/** The retention of all failures: names are counted from the failures of addresses. */
export const KEPT_MS = Math.max(...Object.values(FLOOD_LIMITS).map(({ windowMs }) => windowMs));

/** The keys under which failures of an attempt are counted. */
export type Identifiers = Readonly<Record<FloodEvent, string>>;

/** The store of failures, for all processes of an installation. Times are milliseconds since the epoch. */
export interface FloodStore {
  /** Returns the latest failures that count at a time, of each kind up to its limit. */
  latest(identifiers: Identifiers, now: number): Promise<Failures>;
  /** Stores a failure under all of its identifiers, or none. It may be deleted from `expiresAt` on. */
  record(identifiers: Identifiers, at: number, expiresAt: number): Promise<void>;
  /** Deletes the failures of an identifier up to and including a time. */
  clear(event: FloodEvent, identifier: string, until: number): Promise<void>;
}

export type FloodVerdict = { isAllowed: true } | { isAllowed: false; event: FloodEvent; retryAfterSeconds: number };

/** The times of the latest failures of each kind, newest first, at least up to its limit. */
export type Failures = Record<FloodEvent, readonly number[]>;

/**
 * Returns whether another attempt is allowed. If not, with the number of seconds until the failure that filled the limit
 * leaves the window. If both limits are reached, returns the one that lasts longer.
 */
export function floodVerdict(
  failures: Pick<Failures, 'login-by-address' | 'login-by-user'>,
  now: number,
): FloodVerdict {
  let verdict: FloodVerdict = { isAllowed: true };
  for (const event of ['login-by-address', 'login-by-user'] as const) {
    const { maxFailures, windowMs } = FLOOD_LIMITS[event];
    const filledAt = failures[event].filter((at) => at > now - windowMs)[maxFailures - 1];
    if (filledAt === undefined) continue;
    const retryAfterSeconds = Math.max(1, Math.ceil((filledAt + windowMs - now) / 1000));
    if (verdict.isAllowed || verdict.retryAfterSeconds < retryAfterSeconds)
      verdict = { isAllowed: false, event, retryAfterSeconds };
  }
  return verdict;
}

/** Returns true if an account has reached its limit of failures, so that further attempts must wait for their turn. */
export function isUnderAttack(failures: Failures, now: number): boolean {
  const { maxFailures, windowMs } = FLOOD_LIMITS['login-by-account'];
  return failures['login-by-account'].filter((at) => at > now - windowMs).length >= maxFailures;
}

/**
 * Returns the key for failures of a name at an address. Unknown names count, too, so that the limit does not reveal which
 * users exist. A hash, because users may type a password into the name field.
 */
export function userIdentifier(name: string, address: string): string {
  const text = JSON.stringify([foldedName(name), addressIdentifier(address)]);
  return createHash('sha256').update(text).digest('base64url');
}

/** Returns the key for failures of a name at all addresses, a hash as for `userIdentifier`. */
export function accountIdentifier(name: string): string {
  return createHash('sha256')
    .update(JSON.stringify([foldedName(name)]))
    .digest('base64url');
}

/** Returns the form of a name that all its spellings share. */
function foldedName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Returns the key for failures of an address. An IPv6 subscriber has 2^64 addresses, which count as one. */
export function addressIdentifier(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}
