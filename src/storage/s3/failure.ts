import { storageFailed, storageFull, storageUnavailable } from '../errors.ts';

/** An error response of an S3 server, or a missing response. */
export class S3Failure extends Error {
  override readonly name = 'S3Failure';
  /** The status of the answer; undefined without an answer, so that the outcome of the request is unknown. */
  readonly status: number | undefined;
  /** Such as `NoSuchKey`; empty where the answer names none. */
  readonly code: string;

  constructor(request: string, reason: string, details: { status?: number; code?: string; cause?: unknown } = {}) {
    super(`${request}: ${reason}`, { cause: details.cause });
    this.status = details.status;
    this.code = details.code ?? '';
  }
}

/** Error codes for transient failures, with any status. */
const TRANSIENT_CODES = new Set(['RequestTimeout', 'SlowDown', 'Throttling', 'InternalError', 'ServiceUnavailable']);
const FULL_CODES = new Set(['QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull', 'BucketQuotaExceeded']);
/** Refusals of an upload. The SDK reports an error behind a status of 200 with status 503, which would be transient. */
const LASTING_CODES = new Set(
  'AccessDenied BadDigest EntityTooLarge EntityTooSmall InvalidArgument InvalidPart InvalidPartOrder InvalidRequest MalformedXML NoSuchUpload'.split(
    ' ',
  ),
);
/** Statuses of 5xx for which a retry is useless. */
const LASTING_STATUSES = new Set([501, 505, 507]);
const MAX_TEXT_LENGTH = 300;

/** The parts of an error of the SDK that describe the answer of the server. */
interface AnsweredError extends Error {
  $metadata: { httpStatusCode: number };
  $response?: { body?: unknown };
  /** As the answer names it. */
  Code?: string;
}

/** Returns the failure for an error of the SDK, which has a response or lacks one. */
export function failureOf(request: string, error: unknown): S3Failure {
  if (!isAnswered(error)) {
    const reason = error instanceof Error ? error.message : String(error);
    return new S3Failure(request, `no answer (${reason})`, { cause: error });
  }
  const { Code: code = '', $metadata, $response } = error;
  const status = $metadata.httpStatusCode;
  const message = code === '' ? textOf($response?.body) : error.message;
  const reason = [status, code, message].filter((part) => part !== '').join(' ');
  return new S3Failure(request, reason, { status, code, cause: error });
}

function isAnswered(error: unknown): error is AnsweredError {
  return error instanceof Error && (error as Partial<AnsweredError>).$metadata?.httpStatusCode !== undefined;
}

/** Returns the beginning of a response that is no XML error, such as a page of a proxy or a truncated response. */
function textOf(body: unknown): string {
  if (typeof body === 'string') return body.slice(0, MAX_TEXT_LENGTH);
  return body instanceof Uint8Array ? new TextDecoder().decode(body.subarray(0, MAX_TEXT_LENGTH)) : '';
}

/** Returns true if the same request may succeed a moment later. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof S3Failure)) return false;
  const { status, code } = error;
  if (FULL_CODES.has(code) || LASTING_CODES.has(code)) return false;
  if (status === undefined || status === 408 || status === 429 || TRANSIENT_CODES.has(code)) return true;
  return status >= 500 && !LASTING_STATUSES.has(status);
}

/** Returns true if an error is an answer with one of these statuses. */
export function isStatus(error: unknown, ...statuses: number[]): boolean {
  return error instanceof S3Failure && error.status !== undefined && statuses.includes(error.status);
}

/**
 * Runs work on a bucket. Throws `storage-full`, `unavailable` (no answer, or "later") or `storage-failed` for an
 * S3Failure, and all other errors as they are.
 */
export async function onS3<T>(publicMessage: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toServiceError(publicMessage, error);
  }
}

/** Returns the error as `onS3` throws it. */
export function toServiceError(publicMessage: string, error: unknown): unknown {
  if (!(error instanceof S3Failure)) return error;
  if (error.status === 507 || FULL_CODES.has(error.code)) return storageFull(error);
  return isTransient(error) ? storageUnavailable(error) : storageFailed(publicMessage, error);
}
