import { declaredMaxOutput } from '../base/limit-header.ts';
import { parseMediaType } from '../base/media-type.ts';
import { abandon, answerFailure } from './answer-failure.ts';
import { brokenOff, connectionFailure, cutAtLimit } from './connection-failure.ts';
import { JobFailure } from './job-failure.ts';
import { nameProcessor } from './processor-address.ts';
import { Transfer } from './transfer.ts';

/** What a processor is asked for. */
export interface ProcessorCall {
  /** URL of the processor. */
  address: string;
  sourceUrl: string;
  /** The MIME type to make. */
  mimeType: string;
  /** For the command; empty for none. */
  args: string;
  /** The event as JSON. */
  event: string;
  token: string;
  /** From the call to the last byte. */
  timeoutSeconds: number;
  signal: AbortSignal;
}

/** A derivative on its way in. Its transfer goes on until the body is read to its end, or cancelled. */
export interface ProcessorAnswer {
  /**
   * Its bytes, to be read once. Ends only where the derivative ends; throws a `passing` JobFailure if it breaks
   * off or takes too long, the reason of the call's signal, or what `cancel` was given.
   */
  body: AsyncIterable<Uint8Array>;
  /** How many bytes will come, if the processor said so. */
  declaredBytes: number | undefined;
  /** Lower case, without parameters. */
  mediaType: string;
  /** Ends the transfer. Safe to call at any time. */
  cancel(): Promise<void>;
}

/**
 * Asks a processor for a derivative with one GET, and answers once its first byte is there (spec: processor,
 * "GET /"; rest-behaviour, 9.2). `send` heeds the request's signal up to the last byte, as `fetch` does. Throws a
 * JobFailure, or the reason of the call's signal.
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
    // The error is left out, as it may quote the value.
    const message = `The ${processor} cannot be asked: the address of the source or the arguments hold a control character.`;
    throw new JobFailure('permanent', message);
  }
}

/** Text as UTF-8 in the Latin-1 that a header is made of: the way back of `decodeHeaderText`. */
function headerText(text: string): string {
  return Buffer.from(text).toString('latin1');
}

async function requireType(response: Response, { mimeType }: ProcessorCall, processor: string): Promise<string> {
  const answered = response.headers.get('content-type') ?? '';
  const mediaType = parseMediaType(answered);
  if (mediaType !== undefined && mediaType === parseMediaType(mimeType)) return mediaType;
  await abandon(response);
  const got = mediaType ?? 'no MIME type';
  throw new JobFailure('passing', `The ${processor} answered with ${got} where ${mimeType} was asked for.`, {
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
      throw transfer.fail((received === maxBytes ? cutAtLimit : brokenOff)(processor, received, cause));
    }
    transfer.signal.throwIfAborted();
    received += value?.byteLength ?? 0;
    if (value === undefined && declaredBytes !== undefined && received !== declaredBytes) {
      throw brokenOff(processor, received, new Error(`${declaredBytes} bytes were announced`));
    }
    return value;
  };

  const first = await read();
  if (first === undefined) {
    throw new JobFailure('permanent', `The ${processor} answered with nothing.`, { status: response.status });
  }
  transfer.hasBegun = true;
  let isComplete = false;
  const cancel = async () => {
    if (isComplete) return;
    transfer.fail(new Error('The transfer was cancelled.'));
    // A stream that has failed already rejects its cancellation with that failure, which was thrown before.
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
