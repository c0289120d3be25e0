import { noteBody } from '../http/compression.ts';
import type { Call } from './call.ts';
import type { HeaderName } from './openapi/headers.ts';
import { empty, type HtmlPage, putNonce, VARY_BY_CALLER } from './respond.ts';

/** The cookie with the sentence that the next page shows once. A script of the pages reads and removes it. */
const NOTICE_COOKIE = 'notice';
const NOTICE_SECONDS = 60;

/** The headers of a page with a form, and of an answer that leads to another page. */
export const FORM_HEADERS: readonly HeaderName[] = [
  'Cache-Control',
  'Content-Security-Policy',
  'X-Content-Type-Options',
];
export const MOVED_HEADERS: readonly HeaderName[] = ['Cache-Control', 'Location', 'X-Content-Type-Options'];

/** Returns a page with a form. No cache may keep it: it has the token of a session and what was typed. */
export function formAnswer(page: HtmlPage, status = 200, headers: Record<string, string> = {}): Response {
  const all = new Headers({
    'Content-Type': page.contentType,
    'Cache-Control': 'no-store, private',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'SAMEORIGIN',
    'Content-Language': 'en',
    Vary: VARY_BY_CALLER,
    ...page.headers,
    ...headers,
  });
  const body = page.noncePlaceholder === undefined ? page.body : putNonce(page.noncePlaceholder, page.body, all);
  return noteBody(new Response(body, { status, headers: all }), body);
}

/** Returns the answer to a form that was carried out: the browser opens a path of the site, with a sentence about the result. */
export function seeOther(call: Call, path: string, notice?: string, headers: Record<string, string> = {}): Response {
  const response = empty(303, { 'Cache-Control': 'no-store, private', ...headers, Location: call.baseUrl + path });
  if (notice !== undefined)
    response.headers.append(
      'Set-Cookie',
      `${NOTICE_COOKIE}=${encodeURIComponent(notice)}; Path=/; Max-Age=${NOTICE_SECONDS}; SameSite=Strict`,
    );
  return response;
}
