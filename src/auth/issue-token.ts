import { SignJWT } from 'jose';
import type { SigningKey } from './signing-key.ts';

/** Two hours (spec: rest-behaviour, 8.2). */
export const TOKEN_EXPIRY_S = 2 * 60 * 60;
/** In the `aud` of every token, and asked for where a token has one. */
export const TOKEN_AUDIENCE = 'islandora';
/** The role of everyone who is signed in. */
export const AUTHENTICATED_ROLE = 'authenticated';

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

/** A signed token with the claims that `/jwt/token` promises (spec: rest-behaviour, 8.2; RFC 7519). */
export function issueToken(subject: TokenSubject, key: SigningKey): Promise<string> {
  const iat = Math.floor(subject.now / 1000);
  const uid = String(subject.uid);
  const claims = {
    iat,
    exp: iat + subject.expirySeconds,
    drupal: { uid },
    webid: uid,
    iss: subject.issuer,
    sub: subject.name,
    roles: [...new Set([AUTHENTICATED_ROLE, ...subject.roles])],
    aud: [TOKEN_AUDIENCE],
    credentials_changed: subject.credentialsChanged,
  };
  return new SignJWT(claims).setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid: key.kid }).sign(key.privateKey);
}
