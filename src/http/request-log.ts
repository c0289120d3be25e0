import { ServiceError } from '../base/errors.ts';
import { type Log, logFacts } from '../base/log.ts';
import { STATUS_CLIENT_GONE, statusOf } from './error-status.ts';

/** How long a connection may be idle: between requests, and while a request's head arrives. */
export const IDLE_TIMEOUT_S = 30;

/** What is known of one request. Filled in on its way, logged once at its end. */
export class RequestRecord {
  readonly method: string;
  readonly path: string;
  readonly startedAt = performance.now();
  readonly clientAddress: string | undefined;
  readonly userAgent: string | undefined;
  readonly #request: Request;
  readonly #server: Bun.Server<unknown> | undefined;
  #isSilenceAllowed = false;
  bytesIn = 0;
  bytesOut = 0;
  /** Facts that belong to one kind of request, in the words of the log: `command`, `exit_code`, `msgId` … */
  facts: Record<string, unknown> = {};
  /** Why it failed, if it did; set by whoever finds out. */
  failure: unknown;
  /** Rejects if the credentials of the request are refused after all. Nothing may be shown before it resolves. */
  confirmed: Promise<void> | undefined;
  /** True from the moment on that a stream answers: then the stream's end is the request's end. */
  isStreaming = false;

  constructor(request: Request, server: Bun.Server<unknown> | undefined) {
    this.method = request.method;
    this.path = pathOf(request.url);
    this.clientAddress = server?.requestIP(request)?.address;
    this.userAgent = request.headers.get('user-agent') ?? undefined;
    this.#request = request;
    this.#server = server;
  }

  /** True if the request came through a port; false if this process made it. */
  get isFromNetwork(): boolean {
    return this.#server !== undefined;
  }

  /** While a command works, silence on the connection is no sign of trouble. */
  allowSilence(): void {
    this.#isSilenceAllowed = true;
    this.#server?.timeout(this.#request, 0);
  }

  /** The answer is about to end: from here on an idle connection is closed again. */
  endSilence(): void {
    if (!this.#isSilenceAllowed) return;
    this.#isSilenceAllowed = false;
    this.#server?.timeout(this.#request, IDLE_TIMEOUT_S);
  }
}

/**
 * Where a request keeps its record. Not a WeakMap: one that lives as long as the program keeps what it
 * held, buffers included, until a full collection.
 */
const RECORD = Symbol('record');
type RecordedRequest = Request & { [RECORD]?: RequestRecord };

/** The record of a request; a new one for a request that did not come through `createRequestLog`. */
export function recordOf(request: RecordedRequest): RequestRecord {
  request[RECORD] ??= new RequestRecord(request, undefined);
  return request[RECORD];
}

/** Gives a request the record of another, which it stands for. Returns the request. */
export function keepRecord(request: RecordedRequest, record: RequestRecord): Request {
  request[RECORD] = record;
  return request;
}

export interface RequestLog {
  /** Answers one request and logs it, at once or when its stream ends. `record`: for a caller who looks at it afterwards. */
  answer(request: Request, server?: Bun.Server<unknown>, record?: RequestRecord): Promise<Response>;
  /** Ends a request that answered with a stream. */
  finish(record: RequestRecord, status: number): void;
}

/** Wraps a handler so that each request leaves exactly one line, and one count in `onFinish`. */
export function createRequestLog(
  handle: (request: Request) => Promise<Response> | Response,
  log: Log,
  onFinish: (record: RequestRecord, status: number) => void,
): RequestLog {
  function finish(record: RequestRecord, status: number): void {
    onFinish(record, status);
    const isGone = record.failure instanceof ServiceError && record.failure.kind === 'client-gone';
    const shown = isGone ? STATUS_CLIENT_GONE : status;
    const line = {
      method: record.method,
      path: record.path,
      status: shown,
      duration_ms: Math.round((performance.now() - record.startedAt) * 10) / 10,
      bytes_in: record.bytesIn,
      bytes_out: record.bytesOut,
      client: record.clientAddress,
      user_agent: record.userAgent,
      ...record.facts,
      ...(record.failure !== undefined && { failure: describeFailure(record.failure) }),
    };
    logFacts(log, levelOf(shown, record.failure), line, `${record.method} ${record.path} ${shown}`);
  }
  return {
    finish,
    async answer(request, server, record = new RequestRecord(request, server)) {
      const usual = keepRecord(withUsualUrl(request, server), record);
      const response = await handle(usual);
      if (record.isStreaming) return response;
      record.endSilence();
      finish(record, response.status);
      return response;
    },
  };
}

function levelOf(status: number, failure: unknown): 'info' | 'warn' | 'error' {
  if (failure === undefined) return 'info';
  // An answer that had begun with 200 and was cut is our failure as much as a 500.
  return status === 500 || status === 200 ? 'error' : 'warn';
}

/** A failure with its causes, for the operator: kind, sentence, and what really happened. */
function describeFailure(failure: unknown): Record<string, unknown> {
  if (!(failure instanceof ServiceError))
    return { kind: 'unknown', stack: failure instanceof Error ? failure.stack : String(failure) };
  const status = statusOf(failure.kind);
  return { kind: failure.kind, status, message: failure.publicMessage, cause: causeText(failure.cause) };
}

function causeText(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  if (!(cause instanceof Error)) return String(cause);
  const deeper = causeText(cause.cause);
  return deeper === undefined ? `${cause.name}: ${cause.message}` : `${cause.name}: ${cause.message} (${deeper})`;
}

function pathOf(url: string): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2);
  const end = url.search(/[?#]/);
  return start < 0 ? '/' : url.slice(start, end < 0 ? undefined : end);
}

/** Elysia looks for the path from this character on, as if every host had four letters or more. */
const FIRST_PATH_INDEX = 'http://host'.length;

/**
 * A request as Elysia expects it. Of HTTP/1.0 without Host the URL is only a path, and a host such as
 * `ocr` is too short: both would be answered with 404. `server`: where it came in, which knows its scheme.
 */
export function withUsualUrl(request: Request, server?: { readonly protocol: string | null }): Request {
  const { url } = request;
  const isPath = url.startsWith('/');
  const pathIndex = isPath ? 0 : url.indexOf('/', url.indexOf('://') + '://'.length);
  if (pathIndex >= FIRST_PATH_INDEX) return request;
  const isSecure = isPath ? server?.protocol === 'https' : url.startsWith('https:');
  return new Request(`${isSecure ? 'https' : 'http'}://localhost${url.slice(pathIndex)}`, request);
}
