import {
  chooseEncoding,
  compressBody,
  compressStream,
  ENCODINGS,
  type Encoding,
  encodedEtag,
  hasEncodedEtag,
  plainEtags,
} from './content-encoding.ts';
import type { Handle } from './error-plugin.ts';
import { keepRecord, recordOf } from './request-log.ts';

/** Shorter bodies fit into one packet, and would hardly become shorter. */
const MIN_BYTES = 1024;
const COMPRESSIBLE = /^text\/(?!event-stream)|^image\/(?:svg\+xml|x-icon)$|[/+](?:json|xml|javascript|yaml|linkset)$/;
/** The statuses whose bodies are no whole representation, or that have none. */
const WITHOUT_WHOLE_BODY: ReadonlySet<number> = new Set([101, 204, 205, 206, 416]);

/** Compressed variants of a body that is sent more than once. */
export type Variants = Map<Encoding, Uint8Array<ArrayBuffer>>;

/** A body in memory. */
interface MemoryBody {
  readonly body: string | Uint8Array<ArrayBuffer>;
  /** The place for its compressed variants. Undefined for a body that is sent once. */
  readonly variants: Variants | undefined;
  /** True for a file of the program, which is compressed once with the highest quality. */
  readonly isFile: boolean;
  /** The result of `varyIfCompressible` for its headers. Undefined if they are not prepared. */
  readonly isCompressible: boolean | undefined;
}

const BODY = Symbol('body');
type MemoryResponse = Response & { [BODY]?: MemoryBody };

/**
 * Notes the body of a response, so that it is compressed without being read, and of a 304 the body that it stands for.
 * Returns the same response.
 */
export function noteBody(
  response: MemoryResponse,
  body: MemoryBody['body'],
  options: Partial<Omit<MemoryBody, 'body'>> = {},
): Response {
  const { variants, isFile = false, isCompressible } = options;
  response[BODY] = { body, variants, isFile, isCompressible };
  return response;
}

/**
 * Adds `Accept-Encoding` to the `Vary` of headers that many responses share, if this body is compressed as requests
 * accept. Returns whether it is.
 */
export function varyIfCompressible(headers: Headers, body: MemoryBody['body']): boolean {
  if (body.length < MIN_BYTES || !isCompressible(headers)) return false;
  varyByEncoding(headers);
  return true;
}

/**
 * Wraps a handler so that its responses are compressed as their requests accept. Each compressed representation has an
 * ETag of its own, which later requests may send. Stored files, which have ranges, are never compressed.
 */
export function compressing(handle: Handle): Handle {
  return async (request) => {
    const accepted = request.headers.get('accept-encoding');
    return encode(request, await handle(withPlainEtags(request, accepted)), accepted);
  };
}

/**
 * Returns a request whose conditions name the uncompressed representations. A read compares with the representation that
 * it would get. A write compares with all: they are of the same state. `If-Range` stays: ranges are of uncompressed bytes.
 */
function withPlainEtags(request: Request, accepted: string | null): Request {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  let headers: Headers | undefined;
  for (const name of ['if-none-match', 'if-match']) {
    const tags = request.headers.get(name);
    if (tags === null || !hasEncodedEtag(tags)) continue;
    const plain = plainEtags(tags, isRead && name === 'if-none-match' ? choosable(accepted) : ENCODINGS);
    headers ??= new Headers(request.headers);
    headers.set(name, plain);
  }
  return headers === undefined ? request : keepRecord(new Request(request, { headers }), recordOf(request));
}

/** Returns the codings that a response could have. */
function choosable(accepted: string | null): Encoding[] {
  const encodings = [chooseEncoding(accepted, false), chooseEncoding(accepted, true)];
  return ENCODINGS.filter((each) => encodings.includes(each));
}

function encode(request: Request, response: MemoryResponse, accepted: string | null): Response | Promise<Response> {
  const { status, headers } = response;
  const known = response[BODY];
  if (known === undefined ? !isCompressible(headers) : !isKnownCompressible(known, headers)) return response;
  if (WITHOUT_WHOLE_BODY.has(status)) return response;
  const encoding = chooseEncoding(accepted, known?.isFile ?? false);
  if (status === 304) return notModified(response, request.headers.get('if-none-match') ?? '', encoding);
  if (known === undefined) return encodeUnknown(response, encoding);
  if (encoding === undefined) return response;
  return encodeKnown(known, response, encoding);
}

async function encodeKnown(known: MemoryBody, { status, headers }: Response, encoding: Encoding): Promise<Response> {
  return new Response(await variantOf(known, encoding), { status, headers: encodedHeaders(headers, encoding) });
}

function isKnownCompressible({ body, isCompressible }: MemoryBody, headers: Headers): boolean {
  return isCompressible ?? varyIfCompressible(headers, body);
}

/** Returns a 304 with the tag of the representation that the client has: `encoding` is that of a 200. */
function notModified(response: MemoryResponse, wanted: string, encoding: Encoding | undefined): Response {
  const { headers } = response;
  if (response[BODY] === undefined) varyByEncoding(headers);
  // Without a coding, the request names only tags of the representation as it is.
  if (encoding === undefined && !hasEncodedEtag(wanted)) return response;
  const etag = headers.get('etag');
  if (etag === null) return response;
  const tags = ENCODINGS.map((each) => encodedEtag(etag, each));
  const matching = tags.find((tag) => wanted.includes(tag));
  if (matching !== undefined) headers.set('ETag', matching);
  else if (encoding !== undefined && wanted.trim() === '*') headers.set('ETag', encodedEtag(etag, encoding));
  return response;
}

async function variantOf({ body, variants, isFile }: MemoryBody, encoding: Encoding): Promise<Uint8Array<ArrayBuffer>> {
  const made = variants?.get(encoding) ?? (await compressBody(body, encoding, isFile));
  variants?.set(encoding, made);
  return made;
}

/** Compresses a body that may be a stream of any length, unless it is short. */
async function encodeUnknown(response: Response, encoding: Encoding | undefined): Promise<Response> {
  const { body, status, headers } = response;
  if (encoding === undefined) varyByEncoding(headers);
  if (body === null || encoding === undefined) return response;
  const reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> = body.getReader();
  const begun: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  while (bytes < MIN_BYTES) {
    const { done, value } = await reader.read();
    if (done) return new Response(Buffer.concat(begun), { status, headers });
    begun.push(value);
    bytes += value.byteLength;
  }
  varyByEncoding(headers);
  const stream = compressStream(resumed(begun, reader), encoding);
  return new Response(stream, { status, headers: encodedHeaders(headers, encoding) });
}

/** Returns a stream of what was read of another one and of its rest. */
function resumed(
  begun: Uint8Array<ArrayBuffer>[],
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    {
      async pull(controller) {
        const first = begun.shift();
        if (first !== undefined) return controller.enqueue(first);
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Returns true for text of any kind. Stored files are sent as they are, with their ranges and digests. */
function isCompressible(headers: Headers): boolean {
  if (headers.has('accept-ranges') || headers.has('repr-digest') || headers.has('content-encoding')) return false;
  const [mediaType = ''] = headers.get('content-type')?.split(';', 1) ?? [];
  return COMPRESSIBLE.test(mediaType.trim().toLowerCase());
}

function varyByEncoding(headers: Headers): void {
  const vary = headers.get('vary');
  if (vary === null) headers.set('Vary', 'Accept-Encoding');
  else if (vary.trim() !== '*' && !/(?:^|,)\s*accept-encoding\s*(?:,|$)/i.test(vary))
    headers.set('Vary', `${vary}, Accept-Encoding`);
}

function encodedHeaders(headers: Headers, encoding: Encoding): Headers {
  headers.set('Content-Encoding', encoding);
  headers.delete('Content-Length');
  const etag = headers.get('etag');
  if (etag !== null) headers.set('ETag', encodedEtag(etag, encoding));
  return headers;
}
