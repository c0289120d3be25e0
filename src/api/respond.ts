import { etagOf } from '../http/etag.ts';
import { formatHttpDate } from '../http/http-date.ts';
import { checkPreconditions } from '../http/preconditions.ts';
import { stale } from '../repository/errors.ts';
import type { Call } from './call.ts';

/** The headers that say who asks: what they are shown depends on that. */
export const VARY_BY_CALLER = 'Authorization, JWT-Authorization, Cookie';

/**
 * What every answer with content carries: it is nobody's but the caller's, and must be asked for again. Whole, as each
 * answer takes a copy of it: to put the headers in one by one costs several times as much.
 */
const COMMON = new Headers({
  'Content-Type': 'application/json',
  'Cache-Control': 'must-revalidate, no-cache, private',
  'Content-Language': 'en',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
  Vary: VARY_BY_CALLER,
});
/** The same where `Accept` had a say, too. */
export const VARY_BY_ACCEPT = `Accept, ${VARY_BY_CALLER}`;

/** A JSON answer that does not depend on a version: lists, tokens, new entities. */
export function json(
  body: string | ReadableStream<Uint8Array>,
  status = 200,
  headers: Record<string, string> = {},
): Response {
  const response = new Response(body, { status, headers: COMMON });
  for (const name in headers) response.headers.set(name, headers[name] as string);
  return response;
}

/** An entity as the caller is shown it. */
export interface Representation {
  readonly body: string;
  readonly etag: string;
  /** In seconds since 1970; undefined where no date tells it from what it was before. */
  readonly changed: number | undefined;
  /** Whether it changes with other entities, too, as pages and graphs do: then that date does not tell whether it is the same. */
  readonly tellsOfOthers?: boolean;
  /** JSON if left out. */
  readonly contentType?: string | undefined;
  /** The `Link` header of a read. */
  readonly link?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** All headers of a read, once they are made. */
  readHeaders?: Headers;
}

/** The representation of an entity: with its ETag, or 304 for someone who has it (RFC 9110 section 13). */
export function representation({ request, isNegotiated }: Call, answer: Representation): Response {
  const { body, etag, changed, tellsOfOthers = false } = answer;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const headers = headersOf(answer, isRead, isNegotiated);
  const lastModified = tellsOfOthers ? undefined : dateOf(changed);
  const outcome = isRead ? checkPreconditions(request.method, request.headers, { etag, lastModified }) : 'proceed';
  if (outcome === 'failed') throw stale();
  if (outcome === 'not-modified') return new Response(null, { status: 304, headers });
  return new Response(body, { headers });
}

/** Made once of a representation that is answered again and again: nobody changes the headers of an answer. */
function headersOf(answer: Representation, isRead: boolean, isNegotiated: boolean): Headers {
  if (isRead && answer.readHeaders !== undefined) return answer.readHeaders;
  const { etag, changed, contentType, link } = answer;
  const lastModified = dateOf(changed);
  const headers = new Headers(COMMON);
  if (contentType) headers.set('Content-Type', contentType);
  for (const name in answer.headers) headers.set(name, answer.headers[name] as string);
  headers.set('ETag', etag);
  if (isNegotiated) headers.set('Vary', VARY_BY_ACCEPT);
  if (lastModified) headers.set('Last-Modified', formatHttpDate(lastModified));
  if (link && isRead) headers.set('Link', link);
  if (isRead) answer.readHeaders = headers;
  return headers;
}

/** A representation whose text, with its links, is all that is known of its version. */
export function plainRepresentation(call: Call, body: string, changed: number | undefined, link?: string): Response {
  return representation(call, { body, etag: etagOf(`${body}${link ?? ''}`), changed, link });
}

function dateOf(seconds: number | undefined): Date | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1000);
}

/** An answer without content. */
export function empty(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers: { 'X-Content-Type-Options': 'nosniff', ...headers } });
}

const CONDITIONS = ['if-match', 'if-unmodified-since', 'if-none-match'];

/**
 * Goes on only if `If-Match` and the like hold of what is about to be changed (412 otherwise). `etag` is that
 * of what the caller would be shown of it, made only if there is such a condition.
 */
export function requireCurrent({ request }: Call, etag: () => string, changed: number | undefined): void {
  if (!CONDITIONS.some((name) => request.headers.has(name))) return;
  const current = { etag: etag(), lastModified: dateOf(changed) };
  if (checkPreconditions(request.method, request.headers, current) === 'failed') throw stale();
}
