import { LIMIT_HEADER, PERMANENT_HEADER } from '../base/limit-header.ts';
import { parseMediaType } from '../base/media-type.ts';
import { type FailureKind, JobFailure } from './job-failure.ts';

const MAX_SENTENCE_CHARS = 500;
const MAX_SENTENCE_BYTES = 4 * MAX_SENTENCE_CHARS;
/** Maximum wait for the sentence, which follows the status. */
const SENTENCE_TIMEOUT_MS = 5_000;
/** A JSON Web Token, whole or truncated: a processor may quote the one that it received. */
const TOKEN_OR_PART = /\beyJ[\w-]{8,}[\w.-]*/g;
/** A wrong date must not delay a job for years. */
const MAX_RETRY_AFTER_S = 3600;

/**
 * Returns the failure for an answer other than 200 (spec: processor, "Errors"). Reads the sentence of the processor and
 * cancels the answer. `processor` is its name in messages.
 */
export async function answerFailure(response: Response, processor: string): Promise<JobFailure> {
  const { status } = response;
  const isPlain = parseMediaType(response.headers.get('content-type') ?? '') === 'text/plain';
  const stderrLine = isPlain ? await readSentence(response) : undefined;
  await abandon(response);
  const retryAfterSeconds = readRetryAfter(response.headers.get('retry-after'));
  const saying = stderrLine === undefined ? '.' : `: ${stderrLine}`;
  if (response.headers.has(PERMANENT_HEADER) && stderrLine !== undefined)
    return new JobFailure('permanent', stderrLine, { status });
  // A retry would exceed the limit again.
  const kind = response.headers.has(LIMIT_HEADER) ? 'permanent' : kindOf(status);
  return new JobFailure(kind, `The ${processor} answered ${status}${redirect(response)}${saying}`, {
    status,
    stderrLine,
    retryAfterSeconds,
    isOfAddress: isAddressDown(status, { isPlain, isAskedToWait: retryAfterSeconds !== undefined }),
  });
}

/**
 * 401 and 403 are retried, since an administrator may correct the access within the hour. 502 and 504 cost an attempt:
 * a job that crashes the processor, or takes longer than a proxy waits, would otherwise be retried forever.
 */
function kindOf(status: number): FailureKind {
  if (status === 429 || status === 503) return 'not-now';
  if ([401, 403, 408, 409, 423, 424, 425].includes(status)) return 'passing';
  return status >= 500 ? 'passing' : 'permanent';
}

/**
 * Returns whether no processor works at the address. A processor itself answers 503 with Retry-After when it is full, and
 * 504 with plain text when a command took too long; other 502, 503 and 504 come from a proxy.
 */
function isAddressDown(status: number, said: { isPlain: boolean; isAskedToWait: boolean }): boolean {
  return status === 502 || (status === 503 && !said.isAskedToWait) || (status === 504 && !said.isPlain);
}

/** Returns the target of a redirect as a part of the message, without its path, which may contain a secret. */
function redirect({ status, headers, url }: Response): string {
  const location = headers.get('location');
  if (status < 300 || status >= 400 || location === null) return '';
  const target = URL.parse(location, url || undefined)?.origin;
  return `, a redirect${target === undefined ? '' : ` to ${target}`}, which is not followed`;
}

/** Returns the seconds of a header, or until its date (RFC 9110 section 10.2.3). */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_S);
}

/** Returns the first line of a text; undefined if it is empty. */
async function readSentence({ body }: Response): Promise<string | undefined> {
  if (body === null) return undefined;
  const reader = body.getReader();
  const giveUp = () => void reader.cancel().catch(() => undefined);
  const timer = setTimeout(giveUp, SENTENCE_TIMEOUT_MS);
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    while (bytes < MAX_SENTENCE_BYTES && !text.trimStart().includes('\n')) {
      const { value } = await reader.read();
      if (value === undefined) break;
      bytes += value.byteLength;
      text += decoder.decode(value.subarray(0, MAX_SENTENCE_BYTES), { stream: true });
    }
  } catch {
    // The status is reported, with the received part of the sentence.
  } finally {
    clearTimeout(timer);
    reader.releaseLock();
  }
  const [line = ''] = text.trimStart().split('\n', 1);
  const safe = line.replaceAll(TOKEN_OR_PART, '…').replaceAll(/\p{Cc}/gu, ' ');
  const sentence = safe.trim().slice(0, MAX_SENTENCE_CHARS);
  return sentence === '' ? undefined : sentence;
}

/** Cancels the transfer of an answer. */
export async function abandon({ body }: Response): Promise<void> {
  // A failed stream rejects its cancellation with the same failure.
  await body?.cancel().catch(() => undefined);
}

/**
 * Error codes of `fetch` for a connection that was never established: refused, unknown host, no route, or no TLS. With any
 * other error the request may have arrived.
 */
const NEVER_CONNECTED = new RegExp(
  '^(ECONNREFUSED|ENOTFOUND|EAI_\\w+|E(HOST|NET)(UNREACH|DOWN)|EADDRNOTAVAIL|EMFILE|ENFILE|FailedToOpenSocket' +
    '|EPROTO|ERR_(TLS|SSL)_\\w+|\\w*CERT\\w*|UNABLE_TO_\\w+|HOSTNAME_MISMATCH)$',
);

/** The codes among them for a lack of resources of this machine. */
const OUT_OF_RESOURCES = /^(EMFILE|ENFILE|EADDRNOTAVAIL)$/;

/**
 * Returns the failure for an error of `fetch`. `processor` is its name in messages. A connection that closes after it was
 * established costs an attempt: the job may have crashed the processor.
 */
export function connectionFailure(processor: string, error: unknown): JobFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  const options = { isOfAddress: true, cause: error };
  if (NEVER_CONNECTED.test(code)) {
    return new JobFailure('not-now', `The ${processor} cannot be reached (${code}).`, {
      ...options,
      isUnasked: !OUT_OF_RESOURCES.test(code),
    });
  }
  return new JobFailure('passing', `The ${processor} closed the connection without an answer (${code}).`, options);
}

/** Returns the failure of an answer that took too long. Before its first byte the address has failed, after it the command. */
export function timedOut(processor: string, seconds: number, hasBegun: boolean): JobFailure {
  const what = hasBegun ? 'finish' : 'begin';
  return new JobFailure('passing', `The ${processor} did not ${what} its answer within ${seconds} seconds.`, {
    isOfAddress: !hasBegun,
  });
}

/** Returns the failure of a truncated answer. */
export function truncated(processor: string, received: number, cause: unknown): JobFailure {
  return new JobFailure('passing', `The answer of the ${processor} was truncated after ${received} bytes.`, {
    status: 200,
    cause,
  });
}

/** Returns the failure of an answer that its processor truncated at `maxOutputBytes`. */
export function cutAtLimit(processor: string, maxBytes: number, cause: unknown): JobFailure {
  const message = `The ${processor} truncated its answer: the command wrote more than the ${maxBytes} bytes of its maxOutputBytes.`;
  return new JobFailure('permanent', message, { status: 200, cause });
}
