import { codeOf, ServiceError } from '../base/errors.ts';
import { type Log, logFacts } from '../base/log.ts';
import { STATUS_CLIENT_GONE, statusOf } from './error-status.ts';

/** Maximum time that a connection may be idle, between requests and while a request head arrives. */
export const IDLE_TIMEOUT_S = 30;

/** The use of the page of a node, or of a file. */
export interface RequestUse {
  readonly kind: 'page' | 'file';
  /** The id of the node or file. */
  readonly id: number;
  /** The id of a signed-in user; 0 for others, who are told apart by address and user agent. */
  readonly userId: number;
  /** The address of the connection, and the header `X-Forwarded-For`: the client is found when the use is stored. */
  readonly peer: string;
  readonly forwarded: string;
}

/** The facts of a request, which are logged at its end. */
export class RequestRecord {
  readonly method: string;
  readonly path: string;
  readonly startedAt = performance.now();
  readonly clientAddress: string | undefined;
  readonly userAgent: string | undefined;
  readonly #request: Request;
  readonly #server: Bun.Server<unknown> | undefined;
  #isSilenceAllowed = false;
  /** The kind of expensive work, and its milliseconds. */
  work: string | undefined;
  workMs = 0;
  bytesIn = 0;
  bytesOut = 0;
  /** Further members of the log line: `command`, `exit_code`, `msgId` … */
  facts: Record<string, unknown> = {};
  /** The error of a failed request. */
  failure: unknown;
  /** Rejects if login limits reject the credentials later. Nothing may be returned before it resolves. */
  confirmed: Promise<void> | undefined;
  /** The use of content that the request is, if its answer succeeds. It is counted, and not logged. */
  use: RequestUse | undefined;
  /** True once the response is a stream: the request ends with the stream. */
  isStreaming = false;

  constructor(request: Request, server: Bun.Server<unknown> | undefined) {
    this.method = request.method;
    this.path = pathOf(request.url);
    this.clientAddress = server?.requestIP(request)?.address;
    this.userAgent = request.headers.get('user-agent') ?? undefined;
    this.#request = request;
    this.#server = server;
  }

  get headers(): Headers {
    return this.#request.headers;
  }

  /** True if the request came through a port; false if this process created it. */
  get isFromNetwork(): boolean {
    return this.#server !== undefined;
  }

  /** Disables the idle timeout, for example while a command runs. */
  allowSilence(): void {
    this.#isSilenceAllowed = true;
    this.#server?.timeout(this.#request, 0);
  }

  /** Enables the idle timeout again, at the end of the response. */
  endSilence(): void {
    if (!this.#isSilenceAllowed) return;
    this.#isSilenceAllowed = false;
    this.#server?.timeout(this.#request, IDLE_TIMEOUT_S);
  }
}

/** The member of a request with its record. A WeakMap would keep records, with buffers, until a full garbage collection. */
const RECORD = Symbol('record');
type RecordedRequest = Request & { [RECORD]?: RequestRecord };

/** Returns the record of a request, or a new one for a request outside `createRequestLog`. */
export function recordOf(request: RecordedRequest): RequestRecord {
  request[RECORD] ??= new RequestRecord(request, undefined);
  return request[RECORD];
}

/** Assigns the record of another request, which this one replaces. Returns the request. */
export function keepRecord(request: RecordedRequest, record: RequestRecord): Request {
  request[RECORD] = record;
  return request;
}

export interface RequestLog {
  /** Answers a request and logs it, at once or when its stream ends. `record` gives the caller access to the facts. */
  answer(request: Request, server?: Bun.Server<unknown>, record?: RequestRecord): Promise<Response>;
  /** Logs a request whose stream has ended. */
  finish(record: RequestRecord, status: number): void;
}

/** Wraps a handler so that each request produces one log line and one call of `onFinish`. */
export function createRequestLog(
  handle: (request: Request) => Promise<Response> | Response,
  log: Log,
  onFinish: (record: RequestRecord, status: number) => void,
): RequestLog {
  function finish(record: RequestRecord, status: number): void {
    onFinish(record, status);
    const isGone = record.failure instanceof ServiceError && record.failure.kind === 'client-gone';
    const shown = isGone ? STATUS_CLIENT_GONE : status;
    const path = loggedPath(record.path);
    const line = {
      method: record.method,
      path,
      status: shown,
      duration_ms: Math.round((performance.now() - record.startedAt) * 10) / 10,
      bytes_in: record.bytesIn,
      bytes_out: record.bytesOut,
      client: record.clientAddress,
      user_agent: record.userAgent,
      ...record.facts,
      ...(record.failure !== undefined && { failure: describeFailure(record.failure) }),
    };
    logFacts(log, levelOf(shown, record.failure), line, `${record.method} ${path} ${shown}`);
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
  // A response that was aborted after its 200 is an internal error, too.
  return status === 500 || status === 200 ? 'error' : 'warn';
}

/** Returns an error with its causes for the log. */
function describeFailure(failure: unknown): Record<string, unknown> {
  if (!(failure instanceof ServiceError))
    return { kind: 'unknown', stack: failure instanceof Error ? failure.stack : String(failure) };
  const status = statusOf(failure.kind);
  return { kind: failure.kind, status, message: failure.publicMessage, cause: causeText(failure.cause) };
}

function causeText(cause: unknown): string | undefined {
  if (cause === undefined) return undefined;
  if (!(cause instanceof Error)) return String(cause);
  const { name, message } = cause;
  const code = codeOf(cause);
  // The message of a system error begins with its code, that of SQLite does not have it.
  const text = code === undefined || message.includes(code) ? `${name}: ${message}` : `${name} ${code}: ${message}`;
  const deeper = causeText(cause.cause);
  return deeper === undefined ? text : `${text} (${deeper})`;
}

function pathOf(url: string): string {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2);
  const end = url.search(/[?#]/);
  return start < 0 ? '/' : url.slice(start, end < 0 ? undefined : end);
}

/** Elysia searches the path from this character on, and so assumes a host of at least four letters. */
const FIRST_PATH_INDEX = 'http://host'.length;

/**
 * Returns a request with a URL that Elysia can route. The URL of an HTTP/1.0 request without Host is only a path, and a host
 * such as `ocr` is too short: both would return 404. `server` provides the scheme.
 */
function withUsualUrl(request: Request, server?: { readonly protocol: string | null }): Request {
  const { url } = request;
  const isPath = url.startsWith('/');
  const pathIndex = isPath ? 0 : url.indexOf('/', url.indexOf('://') + '://'.length);
  if (pathIndex >= FIRST_PATH_INDEX) return request;
  const isSecure = isPath ? server?.protocol === 'https' : url.startsWith('https:');
  return new Request(`${isSecure ? 'https' : 'http'}://localhost${url.slice(pathIndex)}`, request);
}

/** The part of a path that is a secret: it sets a password, confirms a mail address, or opens restricted files. */
const SECRET = /(\/(?:user\/(?:reset|mail)|access\/(?:link|confirm))\/)[^/]+/gi;

/** Returns a path for the log, without secrets. */
export function loggedPath(path: string): string {
  return path.replace(SECRET, '$1…');
}
