import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const TOKEN_BYTES = 32;
/** 32 bytes in base64url. */
const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** A new session id: 256 bits of chance in 43 url-safe characters. It is in the cookie and nowhere else. */
export function newSessionId(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Whether a text has the form of a session id; any other cookie value is not worth a look into the database. */
export function isSessionId(text: string): boolean {
  return TOKEN_PATTERN.test(text);
}

/** What the database knows a session by: a hash, so that whoever reads the table cannot take over a session. */
export function storedSessionKey(sessionId: string): string {
  return createHash('sha256').update(sessionId).digest('base64url');
}

/** The `X-CSRF-Token` of a session (spec: rest-behaviour, 8.4). `secret` is that of the installation. */
export function csrfToken(sessionId: string, secret: Buffer): string {
  return tokenFor('csrf', sessionId, secret);
}

/** The token that ends a session (spec: rest-behaviour, 8.3). It is of no use as a CSRF token, nor the other way. */
export function logoutToken(sessionId: string, secret: Buffer): string {
  return tokenFor('logout', sessionId, secret);
}

/** What `/session/token` answers to someone without a session: of the usual form, and good for nothing. */
export function anonymousCsrfToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Compares a token with the right one; the time it takes does not tell how much of it was right. */
export function isSameToken(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/**
 * The name of the session cookie of a site as Drupal makes it: `SSESS` on https, `SESS` on http, then 32 hex digits
 * of the SHA-256 of host (without port) and base path. Sites on one host do not sign each other out.
 */
export function sessionCookieName(baseUrl: string): string {
  const { protocol, hostname, pathname } = new URL(baseUrl);
  const site = hostname + pathname.replace(/\/+$/, '');
  const prefix = protocol === 'https:' ? 'SSESS' : 'SESS';
  return prefix + createHash('sha256').update(site).digest('hex').slice(0, 32);
}

function tokenFor(purpose: 'csrf' | 'logout', sessionId: string, secret: Buffer): string {
  return createHmac('sha256', secret).update(`${purpose}:${sessionId}`).digest('base64url');
}
