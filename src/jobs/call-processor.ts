import { declaredMaxOutput } from '../base/limit-header.ts';
import { parseMediaType } from '../base/media-type.ts';
import { JobFailure } from './job-failure.ts';
import { nameProcessor } from './processor-address.ts';
import { abandon, answerFailure, connectionFailure, cutAtLimit, timedOut, truncated } from './processor-failure.ts';

/** A request to a processor. */
export interface ProcessorCall {
  /** URL of the processor. */
  address: string;
  sourceUrl: string;
  /** The MIME type to make. */
  mimeType: string;
  /** The arguments of the command; empty for none. */
  args: string;
  /** The event as JSON. */
  event: string;
  token: string;
  /** Maximum time from the call to the last byte. */
  timeoutSeconds: number;
  signal: AbortSignal;
}

/** A derivative that is being received. The transfer continues until the body is read to its end, or cancelled. */
export interface ProcessorAnswer {
  /**
   * The bytes, which can be read once. Ends only at the end of the derivative. Throws a `passing` JobFailure if the answer
   * is truncated or takes too long, the reason of the call's signal, or an Error after `cancel`.
   */
  body: AsyncIterable<Uint8Array>;
  /** The number of bytes, if the processor declared it. */
  declaredBytes: number | undefined;
  /** Lower case, without parameters. */
  mediaType: string;
  /** Ends the transfer. Safe to call at any time. */
  cancel(): Promise<void>;
}

/**
 * Requests a derivative from a processor with one GET, and resolves at its first byte (spec: processor, "GET /";
 * rest-behaviour, 9.2). `send` obeys the request's signal until the last byte, as `fetch` does. Throws JobFailure, or the
 * reason of the call's signal.
 */
export async function callProcessor(
  send: (request: Request) => Promise<Response>,
  call: ProcessorCall,
): Promise<ProcessorAnswer> {
  const processor = nameProcessor(call.address);
  const transfer = new Transfer(call, processor);
  try {
    const request = buildRequest(call, processor, transfer.signal);
    const response = await send(request).catch((error: unknown) => {
      throw error instanceof JobFailure ? error : connectionFailure(processor, error);
    });
    if (response.status !== 200) throw await answerFailure(response, processor);
    const mediaType = await requireType(response, call, processor);
    return await open(response, mediaType, { transfer, processor });
  } catch (error) {
    throw transfer.fail(error);
  }
}

function buildRequest(call: ProcessorCall, processor: string, signal: AbortSignal): Request {
  const { address, sourceUrl, mimeType, args, event, token } = call;
  const headers = {
    Authorization: `Bearer ${token}`,
    'Apix-Ldp-Resource': headerText(sourceUrl),
    Accept: mimeType,
    'Accept-Encoding': 'identity',
    ...(args !== '' && { 'X-Repo-Args': headerText(args) }),
    'X-Repo-Event': Buffer.from(event).toString('base64'),
  };
  try {
    return new Request(address, { headers, redirect: 'manual', signal });
  } catch {
    // Drops the error, which may quote the value.
    const message = `The ${processor} cannot be called: the source address or the arguments contain a control character.`;
    throw new JobFailure('permanent', message);
  }
}

/** Encodes text as UTF-8 in the Latin-1 characters of a header: the inverse of `decodeHeaderText`. */
function headerText(text: string): string {
  return Buffer.from(text).toString('latin1');
}

async function requireType(response: Response, { mimeType }: ProcessorCall, processor: string): Promise<string> {
  const answered = response.headers.get('content-type') ?? '';
  const mediaType = parseMediaType(answered);
  if (mediaType !== undefined && mediaType === parseMediaType(mimeType)) return mediaType;
  await abandon(response);
  const got = mediaType ?? 'no MIME type';
  throw new JobFailure('passing', `The ${processor} answered with ${got} instead of ${mimeType}.`, {
    status: response.status,
  });
}

interface Way {
  transfer: Transfer;
  processor: string;
}

async function open(response: Response, mediaType: string, { transfer, processor }: Way): Promise<ProcessorAnswer> {
  const reader = response.body?.getReader();
  const declaredBytes = declaredLength(response.headers);
  const maxBytes = declaredMaxOutput(response.headers);
  let received = 0;
  const read = async (): Promise<Uint8Array | undefined> => {
    let value: Uint8Array | undefined;
    try {
      do ({ value } = (await reader?.read()) ?? {});
      while (value?.byteLength === 0);
    } catch (cause) {
      throw transfer.fail((received === maxBytes ? cutAtLimit : truncated)(processor, received, cause));
    }
    transfer.signal.throwIfAborted();
    received += value?.byteLength ?? 0;
    if (value === undefined && declaredBytes !== undefined && received !== declaredBytes) {
      throw truncated(processor, received, new Error(`${declaredBytes} bytes were announced`));
    }
    return value;
  };

  const first = await read();
  if (first === undefined) {
    throw new JobFailure('permanent', `The ${processor} sent an empty answer.`, { status: response.status });
  }
  transfer.hasBegun = true;
  let isComplete = false;
  const cancel = async () => {
    if (isComplete) return;
    transfer.fail(new Error('The transfer was cancelled.'));
    // A failed stream rejects its cancellation with the failure that was thrown before.
    await reader?.cancel().catch(() => undefined);
  };
  async function* body() {
    try {
      for (let chunk: Uint8Array | undefined = first; chunk !== undefined; chunk = await read()) yield chunk;
      transfer.finish();
      isComplete = true;
    } finally {
      await cancel();
    }
  }
  return { body: body(), declaredBytes, mediaType, cancel };
}

/** RFC 9112 section 6.3: chunks override a length. */
function declaredLength(headers: Headers): number | undefined {
  const value = headers.get('content-length');
  return value !== null && !headers.has('transfer-encoding') && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

/**
 * The duration of a call: it ends at the last byte, at the time limit, or when the caller's signal aborts. The constructor
 * throws the reason of a signal that has aborted already.
 */
class Transfer {
  /** True once the first byte has arrived. */
  hasBegun = false;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #timer: Timer;
  readonly #onAbort = () => void this.fail(this.#caller.reason);

  constructor({ signal, timeoutSeconds }: { signal: AbortSignal; timeoutSeconds: number }, processor: string) {
    signal.throwIfAborted();
    this.#caller = signal;
    signal.addEventListener('abort', this.#onAbort);
    const onTime = () => void this.fail(timedOut(processor, timeoutSeconds, this.hasBegun));
    this.#timer = setTimeout(onTime, timeoutSeconds * 1000);
  }

  /** Aborts if the transfer ends before its last byte. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the transfer with an error. Returns the first error with which it ended. */
  fail(error: unknown): unknown {
    this.finish();
    this.#controller.abort(error);
    return this.signal.reason;
  }

  /** Marks the transfer as complete: nothing can abort it afterwards. */
  finish(): void {
    clearTimeout(this.#timer);
    this.#caller.removeEventListener('abort', this.#onAbort);
  }
}
