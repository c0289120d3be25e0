import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import { ServiceError } from '../base/errors.ts';
import { readLimited } from '../base/read-limited.ts';

const KEY_SET_TIMEOUT_MS = 5_000;
const KEY_SET_MAX_AGE_MS = 10 * 60_000;
/** An unknown key id refreshes the key set, but no more often than this, whoever sends it. */
const KEY_SET_COOLDOWN_MS = 30_000;
const MAX_KEY_SET_BYTES = 1024 * 1024;
/** How far the issuer's clock may be off. */
const CLOCK_TOLERANCE_S = 5;

export interface TokenVerifierOptions {
  jwksUri: URL;
  /** If given, the token's `iss` must be one of these. */
  issuers?: string[];
  /** If given, the token's `aud` must hold one of these. */
  audiences?: string[];
  cooldownMs?: number;
}

/** Checks a token and returns its claims; throws `unauthenticated` or, without keys to check by, `unavailable`. */
export type TokenVerifier = (token: string) => Promise<JWTPayload>;

/**
 * A verifier of RS256 tokens against a remote key set (spec: processor, "Authentication"; RFC 7519).
 * Keys are kept for ten minutes. A token that never expires is refused: it must carry `exp`.
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const findKey = keyFinder(options);
  const checks: JWTVerifyOptions = {
    // Named here and not taken from the token: `none`, or HS256 keyed with our public key, must not pass.
    algorithms: ['RS256'],
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE_S,
    ...(options.issuers && { issuer: options.issuers }),
    ...(options.audiences && { audience: options.audiences }),
  };
  return async (token) => {
    try {
      return (await jwtVerify(token, findKey, checks)).payload;
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyWithAnyKey(token, error, checks);
      throw refusal(error);
    }
  };
}

/** A token without `kid` may have been signed by any key of the set: RFC 7515 section 4.1.4 leaves it optional. */
async function verifyWithAnyKey(
  token: string,
  candidates: errors.JWKSMultipleMatchingKeys,
  checks: JWTVerifyOptions,
): Promise<JWTPayload> {
  let lastError: unknown = candidates;
  for await (const key of candidates) {
    try {
      return (await jwtVerify(token, key, checks)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw refusal(error);
      lastError = error;
    }
  }
  throw refusal(lastError);
}

/** Thrown around everything that keeps us from having keys, so that it is never taken for a bad token. */
class KeySetUnavailable extends Error {}

function keyFinder({ jwksUri, cooldownMs = KEY_SET_COOLDOWN_MS }: TokenVerifierOptions): JWTVerifyGetKey {
  const remote = createRemoteJWKSet(jwksUri, {
    timeoutDuration: KEY_SET_TIMEOUT_MS,
    cacheMaxAge: KEY_SET_MAX_AGE_MS,
    cooldownDuration: cooldownMs,
    [customFetch]: async (url, init) => {
      const response = await fetch(url, init);
      if (response.body === null) return response;
      return new Response(await readLimited(response.body, MAX_KEY_SET_BYTES), { status: response.status });
    },
  });
  return async (header, token) => {
    try {
      return await remote(header, token);
    } catch (error) {
      const isAboutThisToken =
        error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;
      if (isAboutThisToken) throw error;
      throw new KeySetUnavailable('the key set could not be read', { cause: error });
    }
  };
}

function refusal(error: unknown): ServiceError {
  if (error instanceof KeySetUnavailable) {
    return new ServiceError('unavailable', 'The keys that tokens are verified with cannot be fetched at present.', {
      cause: error,
      headers: { 'Retry-After': String(KEY_SET_COOLDOWN_MS / 1000) },
    });
  }
  if (!(error instanceof errors.JOSEError)) throw error;
  return new ServiceError('unauthenticated', whyRefused(error), {
    cause: error,
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  });
}

function whyRefused(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token does not match.';
  if (error instanceof errors.JWKSNoMatchingKey) return 'The token is signed with a key that is not in the key set.';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The token must be signed with RS256.';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === 'missing') return `The token has no claim "${error.claim}".`;
    if (error.claim === 'nbf') return 'The token is not valid yet.';
    return `The claim "${error.claim}" of the token is not accepted here.`;
  }
  return 'The token is not a valid JWT.';
}
