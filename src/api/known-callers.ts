import { randomBytes } from 'node:crypto';
import { DigestCache } from '../auth/digest-cache.ts';
import type { Identity } from './identify.ts';

const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** Callers whose `Authorization` header was found good a moment ago, so that it need not be taken apart again. */
export interface KnownCallers {
  /** `address` stands for where the request comes from: elsewhere the same header is someone new, for the limits. */
  look(header: string, address: string): Looked;
}

export interface Looked {
  readonly identity: Identity | undefined;
  /**
   * For what is found out after this look: it counts for the accounts as they were then. One that was blocked
   * while its password was being checked is not remembered as it was before, and nobody is while that is not known.
   */
  remember(identity: Identity): void;
}

/**
 * Remembers identities by an HMAC of header and address under a key of this process, which tells nobody a password.
 * They are forgotten after a minute, and all of them as soon as any account changes (`generation`).
 */
export function createKnownCallers(generation: () => number | undefined, now: () => number): KnownCallers {
  const key = randomBytes(32);
  const identities = new DigestCache<Identity>(MAX_REMEMBERED);
  return {
    look(header, address) {
      const present = generation();
      if (present === undefined) return UNKNOWN;
      // The generation is part of what is hashed: what was remembered in an earlier one is never found again.
      const text = `${present} ${address} ${header}`;
      const digest = new Bun.CryptoHasher('sha256', key).update(text).digest();
      return {
        identity: identities.find(digest, now()),
        remember: (identity) => identities.remember(digest, identity, now() + REMEMBERED_MS),
      };
    },
  };
}

const UNKNOWN: Looked = { identity: undefined, remember: () => {} };
