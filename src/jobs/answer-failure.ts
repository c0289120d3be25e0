import { LIMIT_HEADER } from '../base/limit-header.ts';
import { parseMediaType } from '../base/media-type.ts';
import { type FailureKind, JobFailure } from './job-failure.ts';

const MAX_SENTENCE_CHARS = 500;
const MAX_SENTENCE_BYTES = 4 * MAX_SENTENCE_CHARS;
/** The status is known by then: what it means is not worth a long wait. */
const SENTENCE_TIMEOUT_MS = 5_000;
/** A JSON Web Token, whole or cut: a processor may quote the one that it was sent. */
const TOKEN_OR_PART = /\beyJ[\w-]{8,}[\w.-]*/g;
/** A mistaken date must not put a job off for years. */
const MAX_RETRY_AFTER_S = 3600;

/**
 * The failure that an answer other than 200 is (spec: processor, "Errors"). Reads the processor's sentence and
 * ends the answer's transfer. `processor` is what a sentence calls it.
 */
export async function answerFailure(response: Response, processor: string): Promise<JobFailure> {
  const { status } = response;
  const isPlain = parseMediaType(response.headers.get('content-type') ?? '') === 'text/plain';
  const stderrLine = isPlain ? await readSentence(response) : undefined;
  await abandon(response);
  const retryAfterSeconds = readRetryAfter(response.headers.get('retry-after'));
  const saying = stderrLine === undefined ? '.' : `: ${stderrLine}`;
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
 * 403 is with 401: access that was set up wrongly is set right within the hour, and nothing is wrong with the
 * file. 502 and 504 use up an attempt, for a job that brings the processor down each time, or takes longer than
 * a proxy waits, would otherwise go round for ever.
 */
function kindOf(status: number): FailureKind {
  if (status === 429 || status === 503) return 'not-now';
  if ([401, 403, 408, 409, 423, 424, 425].includes(status)) return 'passing';
  return status >= 500 ? 'passing' : 'permanent';
}

/**
 * Whether nobody was at work behind the address. A processor says so itself when it is full, with Retry-After,
 * and when a command took too long, in plain text; else 502, 503 and 504 are the words of a proxy.
 */
function isAddressDown(status: number, said: { isPlain: boolean; isAskedToWait: boolean }): boolean {
  return status === 502 || (status === 503 && !said.isAskedToWait) || (status === 504 && !said.isPlain);
}

/** The address that a redirect names is told without its path, which may hold a secret. */
function redirect({ status, headers, url }: Response): string {
  const location = headers.get('location');
  if (status < 300 || status >= 400 || location === null) return '';
  const target = URL.parse(location, url || undefined)?.origin;
  return `, a redirect${target === undefined ? '' : ` to ${target}`}, which is not followed`;
}

/** Seconds, or the time until a date (RFC 9110 section 10.2.3). */
function readRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_S);
}

/** The first line of a text; undefined if there is none, or if it breaks off before any of it has come. */
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
    // The status is the failure to report; what came of its sentence goes with it.
  } finally {
    clearTimeout(timer);
    reader.releaseLock();
  }
  const [line = ''] = text.trimStart().split('\n', 1);
  const safe = line.replaceAll(TOKEN_OR_PART, '…').replaceAll(/\p{Cc}/gu, ' ');
  const sentence = safe.trim().slice(0, MAX_SENTENCE_CHARS);
  return sentence === '' ? undefined : sentence;
}

/** Ends the transfer of an answer that nobody reads to its end. */
export async function abandon({ body }: Response): Promise<void> {
  // A stream that has failed already rejects its cancellation with that failure, which says nothing new.
  await body?.cancel().catch(() => undefined);
}
