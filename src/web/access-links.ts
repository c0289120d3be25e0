import { isSessionId, linksCookieName } from '../auth/session-token.ts';
import { readCookie, sessionCookie } from '../http/cookies.ts';
import type { OpenedLink } from '../repository/asking/access-links.ts';
import type { ApiServices } from './api-services.ts';

/** The number of links that a browser has at a time: the latest. Each request looks all of them up. */
const MAX_LINKS = 8;
const SEPARATOR = '.';
const DAY_S = 86_400;
/** Browsers keep no cookie longer. */
const MAX_AGE_S = 400 * DAY_S;

/** Returns the nodes that the links in the cookie of a request open now. */
export async function grantedNodes(api: ApiServices, request: Request, baseUrl: string): Promise<readonly number[]> {
  const tokens = tokensIn(request, baseUrl);
  if (tokens.length === 0) return [];
  const links = await Promise.all(tokens.map((token) => api.findAccessLink(token)));
  return [...new Set(links.flatMap((link) => link?.nodeId ?? []))].sort((one, other) => one - other);
}

function tokensIn({ headers }: Request, baseUrl: string): string[] {
  const cookies = headers.get('cookie');
  // Most cookies are of sessions.
  if (!cookies?.includes('LINKS')) return [];
  const tokens = readCookie(cookies, linksCookieName(baseUrl))?.split(SEPARATOR, MAX_LINKS) ?? [];
  return tokens.filter(isSessionId);
}

/** Returns the `Set-Cookie` value that adds a link to those of a browser. It lasts until the link ends. */
export function cookieWithLink(
  { request, baseUrl }: { readonly request: Request; readonly baseUrl: string },
  token: string,
  { lastDay }: OpenedLink,
): string {
  const earlier = tokensIn(request, baseUrl).filter((each) => each !== token);
  const tokens = [token, ...earlier].slice(0, MAX_LINKS);
  // The server compares the day: the cookie may last some hours longer, in any time zone.
  const seconds = Math.floor((Date.parse(lastDay) - Date.now()) / 1_000) + 2 * DAY_S;
  return sessionCookie(linksCookieName(baseUrl), tokens.join(SEPARATOR), {
    isSecure: baseUrl.startsWith('https:'),
    maxAge: Math.min(seconds, MAX_AGE_S),
  });
}
