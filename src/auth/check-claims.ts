import { TOKEN_AUDIENCE } from './issue-token.ts';

/** Maximum difference between the clocks of the machines of an installation. */
const CLOCK_TOLERANCE_S = 5;

/** The user of a token. The caller checks that a user with this id and name exists. */
export interface TokenIdentity {
  uid: number;
  name: string;
  /** The version of the account when the token was issued; undefined for a token without one. */
  credentialsChanged: number | undefined;
  /** In seconds since 1970, if the token contains it. */
  issuedAt: number | undefined;
}

/** The identity with the expiry of its token, or the problem of the token as a sentence. */
type ClaimsVerdict = { identity: TokenIdentity; expiresAtMs: number } | { problem: string };

/** Checks the claims of a token with a valid signature (spec: rest-behaviour, 8.2; RFC 7519, 4.1). */
export function checkClaims(claims: unknown, nowMs: number): ClaimsVerdict {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims))
    return { problem: 'The token is not a valid JWT.' };
  const { webid, sub, roles, iss, exp, nbf, aud, iat, credentials_changed } = claims as Record<string, unknown>;
  const missing = Object.entries({ webid, sub, roles, iss, exp }).find(([, value]) => value === undefined);
  if (missing) return { problem: `The token has no claim "${missing[0]}".` };

  if (!isTime(exp)) return notAccepted('exp');
  const nowSeconds = nowMs / 1000;
  if (exp + CLOCK_TOLERANCE_S <= nowSeconds) return { problem: 'The token has expired.' };
  if (nbf !== undefined && !isTime(nbf)) return notAccepted('nbf');
  if (nbf !== undefined && nbf - CLOCK_TOLERANCE_S > nowSeconds) return { problem: 'The token is not valid yet.' };

  const uid = parseUid(webid);
  if (uid === undefined) return notAccepted('webid');
  if (typeof sub !== 'string' || sub === '') return notAccepted('sub');
  if (typeof iss !== 'string' || iss === '') return notAccepted('iss');
  if (!Array.isArray(roles) || roles.some((role) => typeof role !== 'string')) return notAccepted('roles');
  if (aud !== undefined && !(Array.isArray(aud) ? aud : [aud]).includes(TOKEN_AUDIENCE)) return notAccepted('aud');
  if (iat !== undefined && !isTime(iat)) return notAccepted('iat');
  if (credentials_changed !== undefined && !isTime(credentials_changed)) return notAccepted('credentials_changed');
  return {
    identity: { uid, name: sub, credentialsChanged: credentials_changed, issuedAt: iat },
    expiresAtMs: exp * 1000,
  };
}

/**
 * Returns true if the password, status or roles of an account changed after a token was issued. `changed` is the
 * version of the account, in milliseconds; 0 for never. A token without a version (from an earlier release, or another
 * issuer with our key) must have been issued in a later second than the change.
 */
export function isOutdated({ credentialsChanged, issuedAt }: TokenIdentity, changed: number): boolean {
  if (credentialsChanged !== undefined) return credentialsChanged !== changed;
  return changed !== 0 && (issuedAt === undefined || issuedAt <= Math.floor(changed / 1000));
}

/** Parses a user id as text or number. The anonymous user, 0, has no token. */
function parseUid(webid: unknown): number | undefined {
  if (typeof webid === 'string' && !/^[1-9]\d{0,15}$/.test(webid)) return undefined;
  if (typeof webid !== 'string' && typeof webid !== 'number') return undefined;
  const uid = Number(webid);
  return Number.isSafeInteger(uid) && uid > 0 ? uid : undefined;
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function notAccepted(claim: string): { problem: string } {
  return { problem: `The claim "${claim}" of the token is not accepted.` };
}
