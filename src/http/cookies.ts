import { parseCookie, stringifySetCookie } from 'cookie';

/** Returns the value of a cookie in a `Cookie` header (RFC 6265, 4.2); the first of two with the same name. */
export function readCookie(header: string | null | undefined, name: string): string | undefined {
  return header ? parseCookie(header)[name] : undefined;
}

/**
 * Returns the `Set-Cookie` value that begins a session, or adds a link to restricted files. `isSecure` is true for a site on
 * https; `maxAge` is in seconds.
 */
export function sessionCookie(
  name: string,
  sessionId: string,
  { isSecure, maxAge }: { readonly isSecure: boolean; readonly maxAge: number },
): string {
  return serialize(name, sessionId, maxAge, isSecure);
}

/** The cookie of a pass (`auth/pass.ts`). */
export const PASS_COOKIE = 'repo_pass';

/** Returns the `Set-Cookie` value of a pass, as that of a session. */
export const passCookie = sessionCookie;

/** Returns the `Set-Cookie` value with the tokens of links to restricted files, as `sessionCookie`. */
export const linksCookie = sessionCookie;

/** Returns the `Set-Cookie` value that removes a session cookie. */
export function endedSessionCookie(name: string, isSecure: boolean): string {
  return serialize(name, '', 0, isSecure);
}

function serialize(name: string, value: string, maxAge: number, secure: boolean): string {
  return stringifySetCookie({ name, value, maxAge, path: '/', httpOnly: true, sameSite: 'lax', secure });
}
