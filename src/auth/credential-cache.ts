import { randomBytes } from 'node:crypto';
import { DigestCache } from './digest-cache.ts';
import { passwordProblem } from './password.ts';

const REMEMBERED_MS = 2 * 60_000;
const MAX_REMEMBERED = 10_000;

/** Someone who shows a name and a password. */
export interface ShownCredentials {
  name: string;
  password: string;
  /** Undefined for a user that is unknown, blocked or without a password: the answer is then no, after the same work. */
  storedHash: string | undefined;
  /** Where it comes from, as `clientAddress` gives it. */
  address: string | undefined;
}

export interface CredentialMemory {
  /**
   * Whether the very same was remembered from the same address a short while ago. Such a request may pass by the
   * limit on failures. From another address it may not: the limit would not count guesses at a busy user's password.
   */
  isKnown(shown: ShownCredentials): boolean;
  /** Whether the password is that of the user. Throws what `verifyPassword` throws. */
  check(shown: ShownCredentials): Promise<boolean>;
  /** To be called when a right password has let someone in, never before: among too many guesses it must not count. */
  remember(shown: ShownCredentials): void;
}

export interface CredentialMemoryOptions {
  /** Milliseconds since the epoch. */
  now: () => number;
  verify: (password: string, hash: string) => Promise<boolean>;
  verifyAgainstNothing: (password: string) => Promise<false>;
}

/**
 * Checks passwords, and for two minutes knows those that let someone in: argon2id alone would hold basic authentication
 * down to a few requests a second. What is kept is an HMAC under a key of this process, over the stored hash too,
 * so that a changed password counts at once and the memory tells nobody a password.
 */
export function createCredentialMemory(options: CredentialMemoryOptions): CredentialMemory {
  const { now, verify, verifyAgainstNothing } = options;
  const key = randomBytes(32);
  const right = new DigestCache<true>(MAX_REMEMBERED);
  /** As short as the queue of hashes is. */
  const underWay: { digest: Buffer; answer: Promise<boolean> }[] = [];

  function digestOf({ name, password, storedHash, address }: ShownCredentials): Buffer {
    // A list as JSON is unambiguous: no name and password add up to the text of another pair.
    const text = JSON.stringify([name, password, storedHash ?? null, address ?? null]);
    return new Bun.CryptoHasher('sha256', key).update(text).digest();
  }

  function verifyStored({ password, storedHash }: ShownCredentials): Promise<boolean> {
    return storedHash === undefined ? verifyAgainstNothing(password) : verify(password, storedHash);
  }

  return {
    isKnown(shown) {
      if (passwordProblem(shown.password) !== undefined) return false;
      return right.find(digestOf(shown), now()) === true;
    },
    async check(shown) {
      if (passwordProblem(shown.password) !== undefined) return false;
      const digest = digestOf(shown);
      if (right.find(digest, now())) return true;
      const same = underWay.find((check) => check.digest.equals(digest));
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
      right.remember(digestOf(shown), true, now() + REMEMBERED_MS);
    },
  };
}
