import { randomBytes } from 'node:crypto';
import { Cache } from '../base/cache.ts';
import { passwordProblem } from './password.ts';

const MAX_AGE_MS = 2 * 60_000;
const MAX_BYTES = 1024 * 1024;

/** A name and a password that a client sent. */
interface LoginCredentials {
  name: string;
  password: string;
  /** Undefined for a user who is unknown, blocked or without a password. Their check takes as long. */
  storedHash: string | undefined;
  /** The address of the client, as `clientAddress` returns it. */
  address: string | undefined;
}

export interface CredentialCache {
  /**
   * Returns true if the same credentials from the same address are cached. Such a request may bypass the limit on
   * failures. From another address it may not: the limit would not count guesses at a busy user's password.
   */
  isKnown(shown: LoginCredentials): boolean;
  /** Returns true if the password is that of the user. Throws what `verifyPassword` throws. */
  check(shown: LoginCredentials): Promise<boolean>;
  /** Caches credentials. To be called after the login limits allowed the sign-in, never before. */
  remember(shown: LoginCredentials): void;
}

interface CredentialCacheOptions {
  /** Returns the milliseconds since the epoch. */
  now: () => number;
  verify: (password: string, hash: string) => Promise<boolean>;
  verifyAgainstNothing: (password: string) => Promise<false>;
}

/**
 * Checks passwords, and caches for two minutes those that let a user in: argon2id alone would limit basic authentication
 * to a few requests a second. An entry is an HMAC under a key of this process, of the stored hash too, so that a changed
 * password takes effect at once and the cache reveals no password.
 */
export function createCredentialCache(options: CredentialCacheOptions): CredentialCache {
  const { now, verify, verifyAgainstNothing } = options;
  const key = randomBytes(32);
  const right = new Cache<true>({ maxBytes: MAX_BYTES, bytesOf: () => 0, now });
  /** The checks in progress: no more than the queue of hashes holds. */
  const underWay: { digest: string; answer: Promise<boolean> }[] = [];

  function digestOf({ name, password, storedHash, address }: LoginCredentials): string {
    // A list as JSON is unambiguous: no name and password add up to the text of another pair.
    const text = JSON.stringify([name, password, storedHash ?? null, address ?? null]);
    return new Bun.CryptoHasher('sha256', key).update(text).digest('base64');
  }

  function verifyStored({ password, storedHash }: LoginCredentials): Promise<boolean> {
    return storedHash === undefined ? verifyAgainstNothing(password) : verify(password, storedHash);
  }

  return {
    isKnown(shown) {
      if (passwordProblem(shown.password) !== undefined) return false;
      return right.get(digestOf(shown)) === true;
    },
    async check(shown) {
      if (passwordProblem(shown.password) !== undefined) return false;
      const digest = digestOf(shown);
      if (right.get(digest)) return true;
      const same = underWay.find((check) => check.digest === digest);
      if (same) return same.answer;
      const check = { digest, answer: verifyStored(shown) };
      underWay.push(check);
      try {
        return await check.answer;
      } finally {
        underWay.splice(underWay.indexOf(check), 1);
      }
    },
    remember(shown) {
      right.set(digestOf(shown), true, { expiresAtMs: now() + MAX_AGE_MS });
    },
  };
}
