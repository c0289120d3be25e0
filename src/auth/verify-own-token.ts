import { type CompactJWSHeaderParameters, type CryptoKey, compactVerify, errors } from 'jose';
import { Cache } from '../base/cache.ts';
import { ServiceError } from '../base/errors.ts';
import { checkClaims, type TokenIdentity } from './check-claims.ts';
import type { VerifyingKey } from './signing-key.ts';

/** Maximum length of a token, several times that of the longest issued one. */
const MAX_TOKEN_CHARS = 8 * 1024;
/** Three parts in base64url (RFC 7515, 7.1). Other text is rejected without cryptography. */
const TOKEN_PATTERN = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const MAX_AGE_MS = 60_000;
const MAX_BYTES = 2 * 1024 * 1024;
/** Estimated bytes of an identity. */
const IDENTITY_BYTES = 200;

/** Returns the user of a token. Throws `unauthenticated` with the challenge of RFC 6750, 3.1. */
export type OwnTokenVerifier = (token: string) => Promise<TokenIdentity>;

interface OwnTokenVerifierOptions {
  /** The public keys of this installation: the current one, and recent ones. */
  keys: readonly VerifyingKey[];
  /** Returns the milliseconds since the epoch. */
  now: () => number;
}

/**
 * Creates a verifier of the tokens that this installation issues. `iss` is required but may name any site, since one
 * installation has several addresses. A valid token is cached for a minute, by its digest,
 * and never beyond its `exp`.
 */
export function createOwnTokenVerifier({ keys, now }: OwnTokenVerifierOptions): OwnTokenVerifier {
  const valid = new Cache<TokenIdentity>({ maxBytes: MAX_BYTES, bytesOf: () => IDENTITY_BYTES, now });

  return async (token) => {
    if (token.length > MAX_TOKEN_CHARS) throw refusal(`The token is longer than ${MAX_TOKEN_CHARS} characters.`);
    if (!TOKEN_PATTERN.test(token)) throw refusal('The token is not a valid JWT.');
    const digest = new Bun.CryptoHasher('sha256').update(token).digest('base64');
    const known = valid.get(digest);
    if (known) return known;
    const verdict = checkClaims(await signedClaims(token, keys), now());
    if ('problem' in verdict) throw refusal(verdict.problem);
    const identity = Object.freeze(verdict.identity);
    valid.set(digest, identity, { expiresAtMs: Math.min(verdict.expiresAtMs, now() + MAX_AGE_MS) });
    return identity;
  };
}

async function signedClaims(token: string, keys: readonly VerifyingKey[]): Promise<unknown> {
  try {
    // The algorithm is never taken from the token: `none`, and HS256 with our public key as its secret, must fail.
    const { payload } = await compactVerify(token, (header) => keyFor(header, keys), { algorithms: ['RS256'] });
    return parseClaims(payload);
  } catch (error) {
    if (error instanceof errors.JOSEError) throw refusal(whyRefused(error), error);
    throw error;
  }
}

/** Returns the key that the header names. Tokens of this installation have a `kid` and the type JWT. */
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
