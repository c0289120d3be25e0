import { XMLParser } from 'fast-xml-parser';
import { storageFailed, storageFull, storageUnavailable } from './errors.ts';

/** What an S3 server said against a request, or that it said nothing. */
export class S3Failure extends Error {
  override readonly name = 'S3Failure';
  /** The status of the answer; undefined if there was none, so that nobody knows what became of the request. */
  readonly status: number | undefined;
  /** Such as `NoSuchKey`; empty where the answer names none. */
  readonly code: string;

  constructor(request: string, reason: string, details: { status?: number; code?: string; cause?: unknown } = {}) {
    super(`${request}: ${reason}`, { cause: details.cause });
    this.status = details.status;
    this.code = details.code ?? '';
  }
}

/** Codes by which servers say "later", whatever the status. */
const TRANSIENT_CODES = new Set(['RequestTimeout', 'SlowDown', 'Throttling', 'InternalError', 'ServiceUnavailable']);
const FULL_CODES = new Set(['QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull', 'BucketQuotaExceeded']);
/** Of the 5xx: what asking again does not change. */
const LASTING_STATUSES = new Set([501, 505, 507]);
const MAX_TEXT = 300;

const parser = new XMLParser({ parseTagValue: false });

/** The failure that an answer stands for: S3 says it in XML, what stands in front of it in whatever it likes. */
export function failureOf(request: string, status: number, text: string): S3Failure {
  const { code, message } = errorIn(text) ?? { code: '', message: text.slice(0, MAX_TEXT) };
  return new S3Failure(request, [status, code, message].filter((part) => part !== '').join(' '), { status, code });
}

/** The error that a text in XML tells, also one behind a status of 200; undefined for any other text. */
export function errorIn(text: string): { code: string; message: string } | undefined {
  if (!text.includes('<Error>')) return undefined;
  try {
    const { Error: told } = parser.parse(text) as { Error?: { Code?: string; Message?: string } };
    return told === undefined ? undefined : { code: told.Code ?? '', message: told.Message ?? '' };
  } catch (error) {
    return { code: '', message: `an answer that is no XML (${String(error)})` };
  }
}

/** Whether the same request may succeed a moment later. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof S3Failure)) return false;
  const { status, code } = error;
  if (FULL_CODES.has(code)) return false;
  if (status === undefined || status === 408 || status === 429 || TRANSIENT_CODES.has(code)) return true;
  return status >= 500 && !LASTING_STATUSES.has(status);
}

/** Whether an error is the answer with this status. */
export function isStatus(error: unknown, ...statuses: number[]): boolean {
  return error instanceof S3Failure && error.status !== undefined && statuses.includes(error.status);
}

/**
 * Does work on a bucket; what the server says against it becomes `storage-full`, `unavailable` (nobody answers, or
 * says "later") or `storage-failed`. All other errors are thrown as they are.
 */
export async function onS3<T>(publicMessage: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toServiceError(publicMessage, error);
  }
}

/** The error as `onS3` throws it. */
export function toServiceError(publicMessage: string, error: unknown): unknown {
  if (!(error instanceof S3Failure)) return error;
  if (error.status === 507 || FULL_CODES.has(error.code)) return storageFull(error);
  return isTransient(error) ? storageUnavailable(error) : storageFailed(publicMessage, error);
}
