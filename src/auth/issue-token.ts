import { SignJWT } from 'jose';
import type { SigningKey } from './signing-key.ts';

/** Two hours (spec: rest-behaviour, 8.2). */
export const TOKEN_EXPIRY_S = 2 * 60 * 60;
/** The `aud` of every token. A received token may omit `aud`. */
export const TOKEN_AUDIENCE = 'islandora';
/** The role of all signed-in users. */
const AUTHENTICATED_ROLE = 'authenticated';

export interface TokenSubject {
  uid: number;
  name: string;
  roles: readonly string[];
  /** The version of the caller's account: when its credentials last changed, in milliseconds. */
  credentialsChanged: number;
  /** The base URL of the site. */
  issuer: string;
  /** Milliseconds since the epoch. */
  now: number;
  expirySeconds: number;
}

/** The header of every token. */
export const TOKEN_HEADER = { typ: 'JWT', alg: 'RS256' } as const;

/** Returns the claims of a token, except `iat` (spec: rest-behaviour, 8.2; RFC 7519). */
export function tokenClaims(subject: TokenSubject) {
  const uid = String(subject.uid);
  return {
    exp: issuedAt(subject) + subject.expirySeconds,
    drupal: { uid },
    webid: uid,
    iss: subject.issuer,
    sub: subject.name,
    roles: [...new Set([AUTHENTICATED_ROLE, ...subject.roles])],
    aud: [TOKEN_AUDIENCE],
    credentials_changed: subject.credentialsChanged,
  };
}

/** Returns a signed token, for callers that have no request: commands and jobs. */
export function issueToken(subject: TokenSubject, key: SigningKey): Promise<string> {
  const claims = { ...tokenClaims(subject), iat: issuedAt(subject) };
  return new SignJWT(claims).setProtectedHeader({ ...TOKEN_HEADER, kid: key.kid }).sign(key.privateKey);
}

function issuedAt({ now }: TokenSubject): number {
  return Math.floor(now / 1000);
}
