import { codeOf, ServiceError } from '../../base/errors.ts';
import type { StoredBytes } from '../../storage/storage.ts';

/** A failure of a backup or a restore. The message is for the user. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** A stream had other bytes than were expected. */
export class UnexpectedBytes extends Error {
  override readonly name = 'UnexpectedBytes';

  constructor(expected: StoredBytes, actual: StoredBytes) {
    super(differenceOf(expected, actual));
  }
}

/** Returns the difference from expected bytes as a clause. */
export function differenceOf(expected: StoredBytes, actual: StoredBytes): string {
  if (actual.bytes !== expected.bytes) return `it has ${actual.bytes} bytes instead of ${expected.bytes}`;
  return `its SHA-256 is ${actual.sha256} instead of ${expected.sha256}`;
}

/** A failure of the source of a stream, and not of its destination. */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed';

  constructor(cause: unknown) {
    super(reasonOf(cause), { cause });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'there is no room left',
  EDQUOT: 'there is no room left for this user',
  EFBIG: 'a file would exceed the maximum size there',
  EACCES: 'this user lacks the permission',
  EPERM: 'this user lacks the permission',
  EROFS: 'it is write-protected',
  EEXIST: 'a part of its path is a file and not a folder',
  ENOTDIR: 'a part of its path is a file and not a folder',
  ENOENT: 'it does not exist',
  EIO: 'its disk fails',
};

/** Returns the cause of an error as the end of a sentence. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error);
  const reason = REASONS[code?.startsWith('SQLITE_FULL') ? 'ENOSPC' : (code ?? '')];
  if (reason !== undefined) return reason;
  if (error instanceof ServiceError && error.cause instanceof Error) return reasonOf(error.cause);
  const message = error instanceof ServiceError ? error.publicMessage : String((error as Error)?.message ?? error);
  return message.replace(/\.$/, '');
}

/** Runs `work`. Throws BackupError with `what` and the cause if it fails; passes errors of this file on. */
export async function withReason<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw named(what, error);
  }
}

/** Yields a stream. Throws as `withReason` does if it fails. */
export async function* reading<T>(what: string, source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    throw named(what, error);
  }
}

function named(what: string, error: unknown): unknown {
  const isNamed = error instanceof BackupError || error instanceof SourceFailed || error instanceof UnexpectedBytes;
  return isNamed ? error : new BackupError(`${what}: ${reasonOf(error)}.`, { cause: error });
}
