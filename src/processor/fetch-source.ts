import { malformed, ServiceError } from '../base/errors.ts';
import { followRedirects, RedirectRefused } from '../base/follow-redirects.ts';
import { parseMediaType } from '../base/media-type.ts';
import { bodyTooLarge, clientGone, shuttingDown, sourceFailed } from './errors.ts';
import { askRepository, type OwnSources } from './own-sources.ts';
import { declaredLength, emptySource, type Source, streamSource } from './source.ts';

const MAX_REDIRECTS = 5;
const UNENCODED = { 'Accept-Encoding': 'identity' };
/** The type of a body that declares none (RFC 9110, 8.3). */
const UNKNOWN_TYPE = 'application/octet-stream';

interface FetchOptions {
  /** Answers instead of the network if the address is one of the repository. */
  repository: OwnSources | undefined;
  /** Sent to the origin of the first address only. */
  authorization: string | undefined;
  allowedSources: readonly URL[] | undefined;
  /** Maximum wait for the answer of the source, and again for its first byte. */
  timeoutSeconds: number;
  maxBytes: number | undefined;
  /** Aborts when the client leaves. */
  signal: AbortSignal;
  /** Aborts when the service ends. */
  stopping: AbortSignal;
  onBytes(count: number): void;
}

/** Fetches a source file with one GET and its redirects. Throws `source-failed` unless it arrives complete. */
export async function fetchSource(url: URL, options: FetchOptions): Promise<Source> {
  const { timeoutSeconds, signal, stopping } = options;
  const transfer = new AbortController();
  const watch = new StartWatch(timeoutSeconds, transfer);
  const onAbort = () => transfer.abort(clientGone());
  const onStop = () => transfer.abort(shuttingDown());
  signal.addEventListener('abort', onAbort);
  stopping.addEventListener('abort', onStop);
  const stopListening = () => {
    signal.removeEventListener('abort', onAbort);
    stopping.removeEventListener('abort', onStop);
  };
  if (signal.aborted) onAbort();
  if (stopping.aborted) onStop();
  try {
    const response = await (options.repository === undefined
      ? fetchFrom(url, options, transfer.signal)
      : askOwn(options.repository, url, options, transfer.signal));
    const source = await readResponse(response, options);
    // An aborted transfer ends a read from the network, but not from another stream.
    transfer.signal.addEventListener('abort', () => void source.cancel());
    if (transfer.signal.aborted) await source.cancel();
    return watched(source, watch, transfer, stopListening);
  } catch (error) {
    stopListening();
    const cause: unknown = transfer.signal.aborted ? transfer.signal.reason : error;
    transfer.abort();
    throw cause instanceof ServiceError ? cause : sourceFailed('The source file cannot be fetched.', cause);
  } finally {
    watch.stop();
  }
}

async function fetchFrom(
  url: URL,
  { authorization, allowedSources }: Pick<FetchOptions, 'authorization' | 'allowedSources'>,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await followRedirects(url, {
      headers: UNENCODED,
      ...(authorization && { secretHeaders: { Authorization: authorization } }),
      allowed: allowedSources,
      maxRedirects: MAX_REDIRECTS,
      signal,
    });
  } catch (error) {
    if (!(error instanceof RedirectRefused)) throw error;
    throw sourceFailed(
      error.reason === 'address'
        ? 'The source file redirects to an address that is not allowed.'
        : `The source file redirects more than ${MAX_REDIRECTS} times.`,
    );
  }
}

/** Asks the repository. It may redirect to its store, which gets no credentials and need not be an allowed source. */
async function askOwn(repository: OwnSources, url: URL, options: FetchOptions, signal: AbortSignal): Promise<Response> {
  const response = await askRepository(repository, ownRequest(url, options, signal), signal);
  const location = response.status === 307 ? URL.parse(response.headers.get('location') ?? '') : null;
  if (location === null) return response;
  return fetchFrom(location, { authorization: undefined, allowedSources: undefined }, signal);
}

function ownRequest(url: URL, { authorization }: FetchOptions, signal: AbortSignal): Request {
  return new Request(url.href, { headers: headersFor(authorization), signal });
}

function headersFor(authorization: string | undefined) {
  return { ...UNENCODED, ...(authorization && { Authorization: authorization }) };
}

async function readResponse(response: Response, { maxBytes, repository, onBytes }: FetchOptions): Promise<Source> {
  if (response.status !== 200) {
    await response.body?.cancel();
    throw sourceFailed(`The source file cannot be fetched: its server answered ${response.status}.`);
  }
  const mediaType = readSourceType(response.headers.get('content-type') ?? '');
  if (mediaType === undefined) {
    await response.body?.cancel();
    throw malformed('The Content-Type that came with the source file is not a MIME type.');
  }
  if (response.body === null) return emptySource(mediaType);
  // The declared length of an encoded body is that before decoding.
  const isEncoded = !['', 'identity'].includes(response.headers.get('content-encoding') ?? '');
  const declaredBytes = isEncoded ? undefined : declaredLength(response.headers);
  if (maxBytes !== undefined && declaredBytes !== undefined && declaredBytes > maxBytes) {
    await response.body.cancel();
    throw bodyTooLarge(maxBytes);
  }
  return streamSource(mediaType, response.body, {
    declaredBytes,
    maxBytes,
    isFromNetwork: repository === undefined,
    onBytes,
    broken: (cause) => sourceFailed('The source file was truncated.', cause),
  });
}

/**
 * Returns the media type of a source; undefined for an invalid one. A header that was sent twice arrives as a list: it
 * may repeat one type, and its first value may be empty.
 */
function readSourceType(stated: string): string | undefined {
  const [first = '', ...more] = stated.split(',');
  if (first.trim() === '') return UNKNOWN_TYPE;
  const type = parseMediaType(first);
  const isRepeated = more.every((value) => parseMediaType(value) === type);
  return parseMediaType(stated) ?? (isRepeated ? type : undefined);
}

/** Adds to a source the time limit for its first byte, and the failure that ended its transfer. */
function watched(source: Source, watch: StartWatch, transfer: AbortController, onEnd: () => void): Source {
  let isFirst = true;
  return {
    mediaType: source.mediaType,
    async read() {
      if (isFirst) watch.start();
      try {
        const chunk = await source.read();
        if (hasFailed(transfer)) throw transfer.signal.reason;
        return chunk;
      } catch (error) {
        throw hasFailed(transfer) ? transfer.signal.reason : error;
      } finally {
        if (isFirst) watch.stop();
        isFirst = false;
      }
    },
    async cancel() {
      onEnd();
      await source.cancel();
      transfer.abort();
    },
  };
}

/** Returns true if a transfer was aborted by a failure, and not because it is no longer needed. */
function hasFailed({ signal }: AbortController): boolean {
  return signal.reason instanceof ServiceError;
}

/** Aborts a transfer that does not start in time. */
class StartWatch {
  readonly #seconds: number;
  readonly #transfer: AbortController;
  #timer: Timer | undefined;

  constructor(seconds: number, transfer: AbortController) {
    this.#seconds = seconds;
    this.#transfer = transfer;
    this.start();
  }

  start(): void {
    const error = () => sourceFailed(`The source file did not arrive within ${this.#seconds} seconds.`);
    this.#timer = setTimeout(() => this.#transfer.abort(error()), this.#seconds * 1000);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
