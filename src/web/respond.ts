import { randomBytes } from 'node:crypto';
import { Cache } from '../base/cache.ts';
import { noteBody, type Variants, varyIfCompressible } from '../http/compression.ts';
import { etagOf } from '../http/etag.ts';
import { checkPreconditions, formatHttpDate, type PreconditionOutcome } from '../http/preconditions.ts';
import { stale } from '../repository/errors.ts';

/** The request headers that identify the caller. */
export const VARY_BY_CALLER = 'Authorization, JWT-Authorization, Cookie';

/** The headers of every response with content. Copying them as a whole costs a fraction of setting them one by one. */
const COMMON = new Headers({
  'Content-Type': 'application/json',
  'Cache-Control': 'must-revalidate, no-cache, private',
  'Content-Language': 'en',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'SAMEORIGIN',
  Vary: VARY_BY_CALLER,
});
/** The request headers that identify the caller or select a representation. */
export const VARY_BY_ACCEPT = `Accept, ${VARY_BY_CALLER}`;

/** Returns a JSON response without a version: a list, a token, a new entity. */
export function json(
  body: string | ReadableStream<Uint8Array>,
  status = 200,
  headers: Record<string, string> = {},
): Response {
  const response = new Response(body, { status, headers: COMMON });
  for (const name in headers) response.headers.set(name, headers[name] as string);
  return typeof body === 'string' ? noteBody(response, body) : response;
}

/** An entity in one format, as the caller may view it. */
export interface Representation {
  readonly body: string;
  readonly etag: string;
  /** In seconds since 1970. Undefined if no date identifies the version. */
  readonly changed: number | undefined;
  /** True if it changes with other entities, too, as pages and graphs do: `changed` then does not identify it. */
  readonly includesOthers?: boolean;
  /** Default: JSON. */
  readonly contentType?: string | undefined;
  /** The `Link` header of a GET. */
  readonly link?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The text that every response replaces with a nonce (`HtmlPage`). */
  readonly noncePlaceholder?: string | undefined;
  /** The head of a GET, made by the first one. */
  readHead?: Head;
  /** Its compressed variants. */
  variants?: Variants;
}

const OF_CONTENT = { maxBytes: 40 * 1024 * 1024, maxEntryBytes: 64 * 1024 };
/** The bounds of the cache of searches, lists and the first page. It is another one, so that a storm of searches evicts no content. */
export const OF_LISTS: typeof OF_CONTENT = { maxBytes: 16 * 1024 * 1024, maxEntryBytes: 256 * 1024 };
/** Estimated bytes of a body with its compressed variants, per byte of the body. */
const WITH_VARIANTS = 1.5;

/** Representations by caller and address, which are valid until the next write. */
export type Answers = Cache<Representation>;

/** Creates the cache of representations. `stamp` is that of the database. */
export function createAnswers(stamp: () => number | undefined, bounds = OF_CONTENT): Answers {
  return new Cache({
    ...bounds,
    bytesOf: ({ body, link }) => Math.ceil(body.length * WITH_VARIANTS) + (link?.length ?? 0),
    state: stamp,
  });
}

/** All headers of a representation, and whether its body is compressed as requests accept. */
interface Head {
  readonly headers: Headers;
  readonly isCompressible: boolean;
}

/** A request, and whether its `Accept` header selected the representation. */
interface NegotiatedRequest {
  readonly request: Request;
  readonly isNegotiated: boolean;
}

/** Returns an entity with its ETag, or 304 if the caller has this version (RFC 9110, 13). */
export function representation({ request, isNegotiated }: NegotiatedRequest, answer: Representation): Response {
  const { body, etag, changed, includesOthers = false } = answer;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const head = headOf(answer, isRead, isNegotiated);
  const { headers, isCompressible } = head;
  const lastModified = includesOthers ? undefined : dateOf(changed);
  const outcome = isRead ? checkPreconditions(request.method, request.headers, { etag, lastModified }) : 'proceed';
  if (outcome === 'failed') throw stale();
  if (answer.noncePlaceholder !== undefined) return withNonce(answer.noncePlaceholder, body, head, outcome);
  answer.variants ??= new Map();
  const { variants } = answer;
  if (outcome === 'not-modified')
    return noteBody(new Response(null, { status: 304, headers }), body, { isCompressible });
  return noteBody(new Response(body, { headers }), body, { variants, isCompressible });
}

const POLICY = 'Content-Security-Policy';
const NONCE_BYTES = 16;

/**
 * Returns a page whose policy allows style elements with a nonce. A 304 has no policy, because the page in the client's
 * cache has the nonce of the policy that is stored with it.
 */
function withNonce(placeholder: string, body: string, shared: Head, outcome: PreconditionOutcome): Response {
  const { isCompressible } = shared;
  const headers = new Headers(shared.headers);
  if (outcome === 'not-modified') {
    headers.delete(POLICY);
    return noteBody(new Response(null, { status: 304, headers }), body, { isCompressible });
  }
  const text = putNonce(placeholder, body, headers);
  return noteBody(new Response(text, { headers }), text, { isCompressible });
}

/** Replaces the placeholder of a nonce in the policy of a page, in place, and returns the body with the same nonce. */
export function putNonce(placeholder: string, body: string, headers: Headers): string {
  const nonce = randomBytes(NONCE_BYTES).toString('base64url');
  headers.set(POLICY, (headers.get(POLICY) ?? '').replace(placeholder, nonce));
  return body.replace(placeholder, nonce);
}

/** Returns the head of a representation. Its headers are shared between responses, which copy them. */
function headOf(answer: Representation, isRead: boolean, isNegotiated: boolean): Head {
  if (isRead && answer.readHead !== undefined) return answer.readHead;
  const { etag, changed, contentType, link } = answer;
  const lastModified = dateOf(changed);
  const headers = new Headers(COMMON);
  if (contentType) headers.set('Content-Type', contentType);
  for (const name in answer.headers) headers.set(name, answer.headers[name] as string);
  headers.set('ETag', etag);
  if (isNegotiated) headers.set('Vary', VARY_BY_ACCEPT);
  if (lastModified) headers.set('Last-Modified', formatHttpDate(lastModified));
  if (link && isRead) headers.set('Link', link);
  const head = { headers, isCompressible: varyIfCompressible(headers, answer.body) };
  if (isRead) answer.readHead = head;
  return head;
}

/** Returns a representation whose ETag is that of its text and links. */
export function plainRepresentation(
  asked: NegotiatedRequest,
  body: string,
  changed: number | undefined,
  link?: string,
): Response {
  return representation(asked, { body, etag: etagOf(`${body}${link ?? ''}`), changed, link });
}

/** An HTML page as a response. */
export interface HtmlPage {
  readonly body: string;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The text that every response replaces with a nonce, once in the body and once in the policy. */
  readonly noncePlaceholder?: string | undefined;
}

/** Returns a page without a form, whose ETag is that of its text. */
export function pageRepresentation(asked: NegotiatedRequest, page: HtmlPage): Response {
  return representation(asked, { ...page, etag: etagOf(page.body), changed: undefined });
}

function dateOf(seconds: number | undefined): Date | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1000);
}

/** Returns a response without content. */
export function empty(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers: { 'X-Content-Type-Options': 'nosniff', ...headers } });
}

const CONDITIONS = ['if-match', 'if-unmodified-since', 'if-none-match'];

/**
 * Throws 412 if `If-Match` or another condition of a write does not hold for the entity. `etag` returns the ETag that the
 * caller would get, and is called only for a request with a condition.
 */
export function requireCurrent(
  { request }: Pick<NegotiatedRequest, 'request'>,
  etag: () => string,
  changed: number | undefined,
): void {
  if (!CONDITIONS.some((name) => request.headers.has(name))) return;
  const current = { etag: etag(), lastModified: dateOf(changed) };
  if (checkPreconditions(request.method, request.headers, current) === 'failed') throw stale();
}
