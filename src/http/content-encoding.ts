import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, type ZlibOptions } from 'node:zlib';
import Negotiator from 'negotiator';

/** The content codings of responses (RFC 9110, 8.4.1). */
export const ENCODINGS = ['br', 'zstd', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** A member that the types of the library lack. */
interface PreferredEncodings {
  encodings(available: string[], options: { readonly preferred: readonly string[] }): string[];
}

/** The preferred codings at equal q-values: zstd takes half the time of br for nearly the same size. */
const ONCE_PREFERRED = ['zstd', 'br', 'gzip'];
/** The same for files that are compressed once with the highest quality. */
const KEPT_PREFERRED = ['br', 'zstd', 'gzip'];

const BR_QUALITY = 3;
const ZSTD_LEVEL = 3;
const GZIP_LEVEL = 6;
const BEST_BR_QUALITY = 11;
const BEST_ZSTD_LEVEL = 19;
const BEST_GZIP_LEVEL = 9;
/** Larger files are compressed with a lower quality, which takes a tenth of the time. */
const MAX_BEST_BYTES = 256 * 1024;
const LARGE_BR_QUALITY = 7;
const LARGE_ZSTD_LEVEL = 9;
/** Larger bodies are compressed in another thread. */
const MAX_SYNC_BYTES = 64 * 1024;

const inBrotli = promisify(brotliCompress);
const inGzip: (bytes: Uint8Array, options: ZlibOptions) => Promise<Buffer> = promisify(gzip);

/**
 * Returns the coding for a response by the `Accept-Encoding` of its request. Undefined for none: also without the header,
 * which would allow any (RFC 9110, 12.5.3).
 */
export function chooseEncoding(accepted: string | null, isKept: boolean): Encoding | undefined {
  if (!accepted) return undefined;
  const negotiator: PreferredEncodings = new Negotiator({ headers: { 'accept-encoding': accepted } });
  const [best] = negotiator.encodings([...ENCODINGS, 'identity'], {
    preferred: isKept ? KEPT_PREFERRED : ONCE_PREFERRED,
  });
  return ENCODINGS.find((each) => each === best);
}

/** Compresses a body. `isKept`: true for a body that is compressed once and sent many times. */
export function compressBody(
  body: string | Uint8Array<ArrayBuffer>,
  encoding: Encoding,
  isKept: boolean,
): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const isLarge = bytes.byteLength > MAX_BEST_BYTES;
  const isSync = !isKept && bytes.byteLength <= MAX_SYNC_BYTES;
  switch (encoding) {
    case 'br': {
      const best = isLarge ? LARGE_BR_QUALITY : BEST_BR_QUALITY;
      const params = { [constants.BROTLI_PARAM_QUALITY]: isKept ? best : BR_QUALITY };
      return isSync ? view(brotliCompressSync(bytes, { params })) : inBrotli(bytes, { params }).then(view);
    }
    case 'zstd': {
      const best = isLarge ? LARGE_ZSTD_LEVEL : BEST_ZSTD_LEVEL;
      const level = isKept ? best : ZSTD_LEVEL;
      return isSync ? view(Bun.zstdCompressSync(bytes, { level })) : Bun.zstdCompress(bytes, { level }).then(view);
    }
    case 'gzip': {
      const level = isKept ? BEST_GZIP_LEVEL : GZIP_LEVEL;
      return isSync ? Bun.gzipSync(bytes, { level }) : inGzip(bytes, { level }).then(view);
    }
    default:
      return encoding satisfies never;
  }
}

/** Returns compressed bytes, which are never shared with another thread. */
function view(bytes: Buffer): Uint8Array<ArrayBuffer> {
  return bytes as Buffer<ArrayBuffer>;
}

/** Compresses a stream as it is read. */
export function compressStream(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  encoding: Encoding,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  // Bun knows more formats than the standard.
  const format = (encoding === 'br' ? 'brotli' : encoding) as CompressionFormat;
  const source = stream.getReader();
  const plain = new ReadableStream<Uint8Array<ArrayBuffer>>(
    { pull: (controller) => forward(source, controller) },
    { highWaterMark: 0 },
  );
  const compressed = plain.pipeThrough(new CompressionStream(format)).getReader();
  return new ReadableStream(
    {
      pull: (controller) => forward(compressed, controller),
      // Bun does not cancel the source of a pipe.
      cancel: (reason) => source.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

async function forward(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>,
): Promise<void> {
  const { done, value } = await reader.read();
  if (done) controller.close();
  else controller.enqueue(value);
}

/** Returns the strong tag of a compressed representation: `"a"` becomes `"a-br"`. Weak tags name every representation. */
export function encodedEtag(etag: string, encoding: Encoding): string {
  return etag.startsWith('W/') ? etag : `${etag.slice(0, -1)}-${encoding}"`;
}

const ENCODED_ETAG = new RegExp(`-(?:${ENCODINGS.join('|')})"`);

/** Returns true if tags of a request may include one of `encodedEtag`. */
export function hasEncodedEtag(tags: string): boolean {
  return ENCODED_ETAG.test(tags);
}

/** Returns tags of `If-Match` or `If-None-Match` without the suffixes of codings. */
export function plainEtags(tags: string, encodings: readonly Encoding[]): string {
  return encodings.reduce((result, encoding) => result.replaceAll(`-${encoding}"`, '"'), tags);
}
