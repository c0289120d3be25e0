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
/** Minimum time between refreshes of the key set, which an unknown key id triggers. */
const KEY_SET_COOLDOWN_MS = 30_000;
const MAX_KEY_SET_BYTES = 1024 * 1024;
/** Maximum difference to the clock of the issuer. */
const CLOCK_TOLERANCE_S = 5;

export interface TokenVerifierOptions {
  jwksUri: URL;
  /** Allowed values of `iss` (default: any). */
  issuers?: string[];
  /** `aud` must contain one of these (default: any value). */
  audiences?: string[];
  cooldownMs?: number;
}

/** Verifies a token and returns its claims. Throws `unauthenticated`, or `unavailable` without keys. */
export type TokenVerifier = (token: string) => Promise<JWTPayload>;

/**
 * Creates a verifier of RS256 tokens with a remote key set (spec: processor, "Authentication"; RFC 7519). Caches keys for
 * ten minutes. Rejects tokens without `exp`.
 */
export function createTokenVerifier(options: TokenVerifierOptions): TokenVerifier {
  const findKey = keyFinder(options);
  const checks: JWTVerifyOptions = {
    // Never taken from the token: `none`, and HS256 with our public key as its secret, must fail.
    algorithms: ['RS256'],
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE_S,
    ...(options.issuers && { issuer: options.issuers }),
    ...(options.audiences && { audience: options.audiences }),
  };
  return async (token) => {
    try {
      return await verify(token, findKey, checks).catch((error) => {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        return verifyWithoutName(token, findKey, checks, error);
      });
    } catch (error) {
      throw refusal(error);
    }
  };
}

async function verify(token: string, findKey: JWTVerifyGetKey, checks: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, findKey, checks)).payload;
  } catch (error) {
    if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyWithAnyKey(token, error, checks);
    throw error;
  }
}

/** Tries all keys for a token whose `kid` no key has: it is a hint (RFC 7515, 4.1.4), and issuers rename their keys. */
async function verifyWithoutName(
  token: string,
  findKey: JWTVerifyGetKey,
  checks: JWTVerifyOptions,
  unknown: errors.JWKSNoMatchingKey,
): Promise<JWTPayload> {
  try {
    return await verify(token, ({ kid: _unknown, ...header }, signed) => findKey(header, signed), checks);
  } catch (error) {
    throw error instanceof errors.JWSSignatureVerificationFailed ? unknown : error;
  }
}

/** Tries all keys for a token without `kid`, which is optional (RFC 7515, 4.1.4). */
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
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error;
      lastError = error;
    }
  }
  throw lastError;
}

/** Wraps errors of the key set, so that they do not count as invalid tokens. */
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
    return new ServiceError('unavailable', 'The keys that verify tokens are temporarily unavailable.', {
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
    return `The claim "${error.claim}" of the token is not accepted.`;
  }
  return 'The token is not a valid JWT.';
}
