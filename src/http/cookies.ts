import { parseCookie, stringifySetCookie } from 'cookie';

/** About 23 days (spec: rest-behaviour, 8.3). */
export const SESSION_COOKIE_MAX_AGE_S = 2_000_000;

/** The value of a cookie in a `Cookie` header (RFC 6265 section 4.2); the first, if there are two of that name. */
export function readCookie(header: string | null | undefined, name: string): string | undefined {
  return header ? parseCookie(header)[name] : undefined;
}

/** The `Set-Cookie` value that begins a session. `isSecure`: the site is on https. */
export function sessionCookie(name: string, sessionId: string, isSecure: boolean): string {
  return serialize(name, sessionId, SESSION_COOKIE_MAX_AGE_S, isSecure);
}

/** The `Set-Cookie` value that takes a session cookie away. */
export function endedSessionCookie(name: string, isSecure: boolean): string {
  return serialize(name, '', 0, isSecure);
}

function serialize(name: string, value: string, maxAge: number, secure: boolean): string {
  return stringifySetCookie({ name, value, maxAge, path: '/', httpOnly: true, sameSite: 'lax', secure });
}
