import { randomBytes } from 'node:crypto';
import { Cache } from '../base/cache.ts';
import type { AuthenticationType } from '../model/rest.ts';
import type { Actor } from '../repository/actor.ts';

const MAX_AGE_MS = 60_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** Estimated bytes of an identity: an actor with a few roles. */
const IDENTITY_BYTES = 500;

/** The caller of a request, and how it authenticated. */
export interface Identity {
  readonly actor: Actor;
  /** Undefined for a caller without credentials. */
  readonly authentication: AuthenticationType | undefined;
  /** The session of the cookie, if the request has one. */
  readonly sessionId: string | undefined;
  /** The version of the account when the caller was identified (`Account`); 0 for a caller without credentials. */
  readonly credentialsChanged: number;
}

/** Callers whose `Authorization` header was valid less than a minute ago. Their header is not checked again. */
export interface CallerCache {
  /** Looks up a header. From another address the same header counts as new, for the limits on failures. */
  find(header: string, address: string): CallerLookup;
}

interface CallerLookup {
  readonly identity: Identity | undefined;
  /**
   * Caches the identity that was found after this look-up, for the accounts as they were then: nothing is cached if an
   * account was changed or blocked while the password was checked, or while that is unknown.
   */
  remember(identity: Identity): void;
}

/**
 * Caches identities by an HMAC of header and address under a key of this process, which reveals no password. They
 * expire after a minute, and all of them when any account changes (`generation`).
 */
export function createKnownCallers(generation: () => number | undefined, now: () => number): CallerCache {
  const key = randomBytes(32);
  const identities = new Cache<Identity>({
    maxBytes: MAX_BYTES,
    bytesOf: () => IDENTITY_BYTES,
    state: generation,
    now,
  });
  return {
    find(header, address) {
      const state = identities.state();
      if (state === undefined) return UNKNOWN;
      const digest = new Bun.CryptoHasher('sha256', key).update(`${address} ${header}`).digest('base64');
      return {
        identity: identities.get(digest),
        remember: (identity) => identities.set(digest, identity, { state, expiresAtMs: now() + MAX_AGE_MS }),
      };
    },
  };
}

const UNKNOWN: CallerLookup = { identity: undefined, remember: () => {} };
