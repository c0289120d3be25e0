import { type CompactJWSHeaderParameters, type CryptoKey, compactVerify, errors } from 'jose';
import { Cache } from '../base/cache.ts';
import { ServiceError } from '../base/errors.ts';
import { checkClaims, type TokenIdentity } from './check-claims.ts';
import type { VerifyingKey } from './signing-key.ts';

/** Several times the longest token that is issued. */
const MAX_TOKEN_CHARS = 8 * 1024;
/** Three parts in base64url (RFC 7515 section 7.1); what is anything else costs no cryptography. */
const TOKEN_PATTERN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const MAX_AGE_MS = 60_000;
const MAX_BYTES = 2 * 1024 * 1024;
/** Estimated bytes of an identity. */
const IDENTITY_BYTES = 200;

/** Whom a token speaks for; throws `unauthenticated` with the challenge of RFC 6750 section 3.1. */
export type OwnTokenVerifier = (token: string) => Promise<TokenIdentity>;

export interface OwnTokenVerifierOptions {
  /** The public keys of this installation: the one that signs, and any that did until lately. */
  keys: readonly VerifyingKey[];
  /** Returns the milliseconds since the epoch. */
  now: () => number;
}

/**
 * Creates a verifier of the tokens that this installation issues. `iss` is required but may name any site, since one
 * installation has several addresses: the signature is what counts. A valid token is cached for a minute, by its digest,
 * and never beyond its `exp`.
 */
export function createOwnTokenVerifier({ keys, now }: OwnTokenVerifierOptions): OwnTokenVerifier {
  const good = new Cache<TokenIdentity>({ maxBytes: MAX_BYTES, bytesOf: () => IDENTITY_BYTES, now });

  return async (token) => {
    if (token.length > MAX_TOKEN_CHARS) throw refusal(`The token is longer than ${MAX_TOKEN_CHARS} characters.`);
    if (!TOKEN_PATTERN.test(token)) throw refusal('The token is not a valid JWT.');
    const digest = new Bun.CryptoHasher('sha256').update(token).digest('base64');
    const known = good.get(digest);
    if (known) return known;
    const verdict = checkClaims(await signedClaims(token, keys), now());
    if ('problem' in verdict) throw refusal(verdict.problem);
    const identity = Object.freeze(verdict.identity);
    good.set(digest, identity, { expiresAtMs: Math.min(verdict.expiresAtMs, now() + MAX_AGE_MS) });
    return identity;
  };
}

async function signedClaims(token: string, keys: readonly VerifyingKey[]): Promise<unknown> {
  try {
    // The algorithm is named here and not taken from the token: `none`, or HS256 keyed with our public key, must not pass.
    const { payload } = await compactVerify(token, (header) => keyFor(header, keys), { algorithms: ['RS256'] });
    return parseClaims(payload);
  } catch (error) {
    if (error instanceof errors.JOSEError) throw refusal(whyRefused(error), error);
    throw error;
  }
}

/** The key that the header names. A token without `kid` is not one of ours, nor is one of another type. */
function keyFor({ kid, typ }: CompactJWSHeaderParameters, keys: readonly VerifyingKey[]): CryptoKey {
  if (typ !== 'JWT') throw new errors.JWSInvalid('the type is not JWT');
  const key = keys.find((candidate) => candidate.kid === kid);
  if (key === undefined) throw new errors.JWKSNoMatchingKey();
  return key.publicKey;
}

function parseClaims(payload: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
  } catch (cause) {
    throw new errors.JWTInvalid('the claims are no JSON', { cause });
  }
}

function whyRefused(error: errors.JOSEError): string {
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token does not match.';
  if (error instanceof errors.JWKSNoMatchingKey) return 'The token is not signed with a key of this repository.';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The token must be signed with RS256.';
  return 'The token is not a valid JWT.';
}

function refusal(publicMessage: string, cause?: unknown): ServiceError {
  return new ServiceError('unauthenticated', publicMessage, {
    cause,
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  });
}
