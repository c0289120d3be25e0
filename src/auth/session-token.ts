import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const TOKEN_BYTES = 32;
/** 32 bytes in base64url. */
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** Returns a new session id: 256 random bits in 43 URL-safe characters. Only the cookie contains it. */
export function newSessionId(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Returns true for a text in the format of a session id. Other cookies are ignored without a query. */
export function isSessionId(text: string): boolean {
  return TOKEN_PATTERN.test(text);
}

/** Returns the key of a session in the database: a hash, so that read access to the table gives no access to sessions. */
export function storedSessionKey(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('base64url');
}

/** Returns the `X-CSRF-Token` of a session (spec: rest-behaviour, 8.4). `secret` is that of the installation. */
export function csrfToken(sessionId: string, secret: Buffer): string {
  return tokenFor('csrf', sessionId, secret);
}

/** Returns the token that ends a session (spec: rest-behaviour, 8.3). It differs from the CSRF token. */
export function logoutToken(sessionId: string, secret: Buffer): string {
  return tokenFor('logout', sessionId, secret);
}

/** Returns the token of `/session/token` for a caller without a session: random, and valid for no request. */
export function anonymousCsrfToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Compares a token with the right one in constant time. */
export function isSameToken(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * Returns the name of the session cookie of a site, as in Drupal: `SSESS` on https, `SESS` on http, then 32 hex digits of the
 * SHA-256 of host (without port) and base path. Sites on the same host have different cookies.
 */
export function sessionCookieName(baseUrl: string): string {
  return siteCookieName('SESS', baseUrl);
}

/** Returns the name of the cookie with the tokens of links to restricted files, for each site as `sessionCookieName`. */
export function linksCookieName(baseUrl: string): string {
  return siteCookieName('LINKS', baseUrl);
}

function siteCookieName(name: string, baseUrl: string): string {
  const { protocol, hostname, pathname } = new URL(baseUrl);
  const site = hostname + pathname.replace(/\/+$/, '');
  const prefix = protocol === 'https:' ? `S${name}` : name;
  return prefix + createHash('sha256').update(site).digest('hex').slice(0, 32);
}

function tokenFor(purpose: 'csrf' | 'logout', sessionId: string, secret: Buffer): string {
  return createHmac('sha256', secret).update(`${purpose}:${sessionId}`).digest('base64url');
}
