import { ServiceError } from '../base/errors.ts';
import { LIMIT_HEADER, MAX_OUTPUT, PERMANENT_HEADER } from '../base/limit-header.ts';

/** The `Retry-After` for rejected callers, in seconds. */
const RETRY_AFTER_S = 5;
const retryLater = { headers: { 'Retry-After': String(RETRY_AFTER_S) } };

export function overCapacity(maxQueued: number): ServiceError {
  return new ServiceError(
    'over-capacity',
    `All slots are busy and ${maxQueued} requests are waiting already.`,
    retryLater,
  );
}

export function shuttingDown(): ServiceError {
  return new ServiceError('over-capacity', 'The service is shutting down.', {
    headers: { ...retryLater.headers, Connection: 'close' },
  });
}

export function clientGone(cause?: unknown): ServiceError {
  return new ServiceError('client-gone', 'The client left before the answer was complete.', { cause });
}

export function bodyTooLarge(maxBytes: number): ServiceError {
  return new ServiceError('too-large', `The file is larger than the ${maxBytes} bytes that are accepted.`);
}

export function sourceFailed(publicMessage: string, cause?: unknown): ServiceError {
  return new ServiceError('source-failed', publicMessage, { cause });
}

export function commandTimedOut(seconds: number): ServiceError {
  return new ServiceError('timed-out', `The command did not finish within ${seconds} seconds.`);
}

export function outputTooLarge(maxBytes: number): ServiceError {
  return limitExceeded(MAX_OUTPUT, `The command wrote more than the ${maxBytes} bytes of its maxOutputBytes.`);
}

export function memoryTooSmall(maxBytes: number, cause: unknown): ServiceError {
  const message = `The command ran out of memory: its maxMemoryBytes is ${maxBytes} bytes.`;
  return limitExceeded('maxMemoryBytes', message, cause);
}

/** Returns the message of a failure that is an exceeded limit; undefined for any other. */
export function exceededLimit(failure: unknown): string | undefined {
  return failure instanceof ServiceError && failure.kind === 'limit-exceeded' ? failure.publicMessage : undefined;
}

function limitExceeded(limit: string, publicMessage: string, cause?: unknown): ServiceError {
  return new ServiceError('limit-exceeded', publicMessage, { cause, headers: { [LIMIT_HEADER]: limit } });
}

export function commandFailed(cause: unknown): ServiceError {
  return new ServiceError('command-failed', 'The command failed.', { cause });
}

/** Returns the failure of a command for a file that it can never read. `reason` is a sentence for readers. */
export function fileUnreadable(reason: string, cause: unknown): ServiceError {
  return new ServiceError('command-failed', reason, { cause, headers: { [PERMANENT_HEADER]: 'true' } });
}

export function commandNotStarted(cause: unknown): ServiceError {
  return new ServiceError('misconfigured', 'The command could not be started.', { cause });
}
