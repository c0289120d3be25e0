import { followRedirects, RedirectRefused } from '../../base/follow-redirects.ts';

const MAX_REDIRECTS = 5;
/** Maximum wait for an answer, and between two chunks of it, in milliseconds. */
const MAX_SILENCE_MS = 30_000;
/** Statuses that a later request may not have (RFC 9110, 15.5.9, 15.6; RFC 6585). */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The error for a file that a server does not send. The message completes "https://… cannot be fetched: …". */
export class TransferFailure extends Error {
  override readonly name = 'TransferFailure';

  /** `isFinal`: another request would fail, too. */
  constructor(
    message: string,
    readonly isFinal: boolean,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

interface FileRequest {
  readonly method?: 'GET' | 'HEAD';
  /** The value of `Range`, and of `If-Range` with it. */
  readonly range?: string;
  readonly ifRange?: string | undefined;
  readonly allowed: readonly URL[];
  readonly signal: AbortSignal;
}

/** The answer of a server to a request for a file. */
export interface FileAnswer {
  readonly status: number;
  /** The length of the whole file. Undefined if the server does not tell, or encodes it. */
  readonly totalBytes: number | undefined;
  /** The position of the first byte. */
  readonly start: number;
  /** A strong ETag, or the date of the last change: what `If-Range` takes (RFC 9110, 13.1.5). */
  readonly validator: string | undefined;
  /** Returns the next bytes; undefined at the end. Throws TransferFailure. */
  read(): Promise<Uint8Array | undefined>;
  cancel(): Promise<void>;
  /** Returns the error for the status. */
  failure(): TransferFailure;
}

/** Requests a file or a part of it. Throws TransferFailure without an answer, and the reason of the signal. */
export async function requestFile(
  address: URL,
  { method = 'GET', range, ifRange, allowed, signal }: FileRequest,
): Promise<FileAnswer> {
  const silence = new AbortController();
  const either = AbortSignal.any([signal, silence.signal]);
  const headers = {
    'Accept-Encoding': 'identity',
    'User-Agent': 'repo',
    ...(range !== undefined && { Range: range }),
    ...(ifRange !== undefined && { 'If-Range': ifRange }),
  };
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const timer = setTimeout(() => silence.abort(), MAX_SILENCE_MS);
    try {
      return await work();
    } catch (error) {
      throw signal.aborted ? signal.reason : failureOf(error, silence.signal.aborted);
    } finally {
      clearTimeout(timer);
    }
  };
  const response = await timed(() =>
    followRedirects(address, { method, headers, allowed, maxRedirects: MAX_REDIRECTS, signal: either }),
  );
  const reader = response.body?.getReader();
  const { status } = response;
  return {
    status,
    ...lengthsOf(response),
    validator: validatorOf(response.headers),
    read: async () => (reader === undefined ? undefined : (await timed(() => reader.read())).value),
    // An interrupted stream rejects its cancellation with the failure that was thrown before.
    cancel: async () => reader?.cancel().catch(() => undefined),
    failure: () => new TransferFailure(`its server answered ${status}`, !PASSING.has(status)),
  };
}

function failureOf(error: unknown, isSilent: boolean): TransferFailure {
  if (error instanceof RedirectRefused)
    return new TransferFailure(
      error.reason === 'count'
        ? `it redirects more than ${MAX_REDIRECTS} times`
        : 'it redirects to an address that imports.allowedSources does not name',
      true,
    );
  if (isSilent) return new TransferFailure(`its server was silent for ${MAX_SILENCE_MS / 1_000} seconds`, false, error);
  return new TransferFailure('its server cannot be reached, or has closed the connection', false, error);
}

function lengthsOf({ status, headers }: Response): Pick<FileAnswer, 'totalBytes' | 'start'> {
  const [, start, total] =
    /^bytes (?:(\d{1,15})-\d{1,15}|\*)\/(\d{1,15})$/.exec(headers.get('content-range') ?? '') ?? [];
  if (status === 206 || status === 416)
    return { start: Number(start ?? 0), totalBytes: total === undefined ? undefined : Number(total) };
  const length = headers.get('content-length') ?? '';
  return { start: 0, totalBytes: isEncoded(headers) || !/^\d{1,15}$/.test(length) ? undefined : Number(length) };
}

function validatorOf(headers: Headers): string | undefined {
  if (isEncoded(headers)) return undefined;
  const tag = headers.get('etag');
  return tag?.startsWith('"') ? tag : (headers.get('last-modified') ?? undefined);
}

function isEncoded(headers: Headers): boolean {
  return !['', 'identity'].includes(headers.get('content-encoding') ?? '');
}
