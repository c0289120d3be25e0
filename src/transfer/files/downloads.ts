import { isAllowedSource } from '../../base/allowed-sources.ts';
import { type CallLimit, createCallLimit } from '../../base/call-limit.ts';
import { requestFile, TransferFailure } from './request-file.ts';
import { type Pause, pauseBeforeRetry, resumedBody } from './resumed-body.ts';

/** A file that a table names by its address. */
export interface RemoteFile {
  readonly address: URL;
  /** The last part of its path. */
  readonly name: string;
}

interface DownloadSettings {
  /** The addresses below which files may be. */
  readonly allowedSources: readonly URL[];
  /** The maximum number of concurrent requests. */
  readonly maxDownloads: number;
  /** Waits before a request is repeated (default: some seconds). */
  readonly pause?: Pause;
}

/** The files on the servers that the settings allow. */
export interface Downloads {
  /** Returns the file at an address. Throws RangeError with a sentence for an address that is not allowed. */
  parse(text: string): RemoteFile;
  /** Asks for the length of a file; undefined if its server does not tell. Throws TransferFailure. */
  measure(file: RemoteFile, signal: AbortSignal): Promise<number | undefined>;
  /**
   * Reads a file, and continues where a transfer was interrupted. `isVerified`: the reader compares a checksum, so that
   * parts of different versions are noticed. The iteration throws TransferFailure.
   */
  open(file: RemoteFile, isVerified: boolean, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void>;
  /** Limits the number of concurrent readers. */
  readonly limit: CallLimit;
}

const NOT_ALLOWED =
  'is a URL of a server that imports.allowedSources does not name. Download the file, and write its path.';

export function createDownloads({
  allowedSources,
  maxDownloads,
  pause = pauseBeforeRetry,
}: DownloadSettings): Downloads {
  const limit = createCallLimit(maxDownloads);
  return {
    limit,
    parse(text) {
      const address = URL.parse(text);
      if (address === null || !isAllowedSource(address, allowedSources)) throw new RangeError(NOT_ALLOWED);
      if (address.username !== '' || address.password !== '')
        throw new RangeError('has a user name or password, which messages would show. Leave them out.');
      address.hash = '';
      return { address, name: nameIn(address) };
    },
    measure: ({ address }, signal) =>
      limit(async () => {
        for (let failures = 0; ; ) {
          try {
            return await lengthOf(address, allowedSources, signal);
          } catch (error) {
            failures += 1;
            if (!(error instanceof TransferFailure) || error.isFinal || !(await pause(failures, signal))) throw error;
          }
        }
      }),
    open: ({ address }, isVerified, signal) =>
      resumedBody(address, { allowed: allowedSources, isVerified, signal, pause }),
  };
}

/** Returns the length of a file by HEAD; from a server that refuses HEAD, by a GET for its first byte. */
async function lengthOf(address: URL, allowed: readonly URL[], signal: AbortSignal): Promise<number | undefined> {
  const head = await requestFile(address, { method: 'HEAD', allowed, signal });
  if (head.status === 200) return head.totalBytes;
  if (head.status === 404 || head.status === 410) throw head.failure();
  const part = await requestFile(address, { range: 'bytes=0-0', allowed, signal });
  await part.cancel();
  if (part.status === 200 || part.status === 206) return part.totalBytes;
  // The first byte of an empty file cannot be sent (RFC 9110, 15.5.17).
  if (part.status === 416 && part.totalBytes === 0) return 0;
  throw part.failure();
}

function nameIn({ pathname }: URL): string {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1);
  let name: string;
  try {
    name = decodeURIComponent(last);
  } catch {
    throw new RangeError('has an invalid percent-encoding in its path.');
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a name must not contain them.
  if (/^\.*$/.test(name) || /[/\\\u0000-\u001f\u007f]/.test(name))
    throw new RangeError('has a path that does not end in the name of a file.');
  return name;
}
