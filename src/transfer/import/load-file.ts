import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf, ServiceError } from '../../base/errors.ts';
import type { ClaimedDigest } from '../../http/digest-fields.ts';
import type { Item } from '../../model/content-model.ts';
import type { Destination } from '../../repository/files/content-location.ts';
import { type IngestedBytes, ingest, keepIf } from '../../repository/files/ingest.ts';
import { type Scheme, storeForNew } from '../../repository/files/scheme.ts';
import { uploadDestination } from '../../repository/files/upload-destination.ts';
import { attachFile } from '../../repository/media/attach-file.ts';
import type { PlannedFile } from '../table/row-plan.ts';
import type { LoadContext } from '../table/table-options.ts';
import type { HeldRun } from './import-run.ts';
import { noteItem } from './journal-items.ts';

/** A file of a row whose node exists. */
interface FileOfRow {
  readonly rowId: string;
  readonly nodeId: number;
  readonly file: PlannedFile;
}

/**
 * Stores the bytes of a file, and creates file, media and journal entry in one transaction. Returns the number of the bytes.
 * Throws ServiceError, and then stores nothing.
 */
export async function loadFile(
  context: LoadContext,
  run: HeldRun,
  { rowId, nodeId, file }: FileOfRow,
  signal: AbortSignal,
): Promise<number> {
  const { services, kinds, actor } = context;
  const { mediaType: type, part, fingerprint, useTermId: termId } = file;
  const values = file.values as Record<string, Item[]>;
  const { uri, scheme } = destinationOf(context, file);
  const ingested = await receive(storeForNew(services, scheme), file, signal);
  const attachment = { nodeId, termId, type };
  await keepIf(ingested, () =>
    attachFile(
      services,
      actor,
      kinds.media,
      attachment,
      { ingested, uri, values },
      {
        after: (uuid) => [noteItem(run, { rowId, part, fingerprint }, 'media', uuid)],
      },
    ),
  );
  return ingested.staged.bytes;
}

/** Returns where an upload of that name for the field of its media type would be stored. */
function destinationOf({ services }: LoadContext, { mediaType, name }: PlannedFile): Destination {
  const destination = uploadDestination(services, mediaType.sourceField, name);
  if (destination) return destination;
  const { uriScheme = 'public' } = mediaType.sourceField;
  const message = `The storage scheme ${uriScheme}, for ${mediaType.name}, is not configured.`;
  throw new ServiceError('misconfigured', message);
}

async function receive(store: Scheme, file: PlannedFile, signal: AbortSignal): Promise<IngestedBytes> {
  const { source, sha256, mediaType } = file;
  const digests: ClaimedDigest[] = sha256 === undefined ? [] : [{ field: 'Content-Digest', sha256 }];
  if ('path' in source) {
    const { path, bytes: declaredBytes } = source;
    return received(readLocalFile(path, signal), signal, {
      store: (body) => ingest(store, { body, declaredBytes, digests, maxBytes: undefined, signal }),
      unreadable: (cause) => unreadable(path, cause),
      differing: () => changed(path),
    });
  }
  const { remote, from } = source;
  const { maxFileBytes: maxBytes } = mediaType.sourceField;
  const failed = (reason: string, cause?: unknown) =>
    new ServiceError('source-failed', `${remote.address.href} ${reason}`, { cause });
  return from.limit(() =>
    received(from.open(remote, sha256 !== undefined, signal), signal, {
      store: (body) =>
        ingest(store, { body, isFromNetwork: true, declaredBytes: undefined, digests, maxBytes, signal }),
      unreadable: (cause) => failed(`cannot be fetched: ${cause instanceof Error ? cause.message : cause}.`, cause),
      differing: () => failed('has another SHA-256 than the table.'),
    }),
  );
}

interface Reception {
  store(body: AsyncIterable<Uint8Array>): Promise<IngestedBytes>;
  /** Returns the error for a source that cannot be read. */
  unreadable(cause: unknown): ServiceError;
  /** Returns the error for bytes of another length or checksum. */
  differing(): ServiceError;
}

async function received(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  { store, unreadable, differing }: Reception,
): Promise<IngestedBytes> {
  let failure: unknown;
  const body = async function* () {
    try {
      yield* source;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  try {
    return await store(body());
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (failure !== undefined) throw unreadable(failure);
    if (error instanceof ServiceError && error.kind === 'malformed') throw differing();
    throw error;
  }
}

function unreadable(path: string, cause: unknown): ServiceError {
  // ELOOP: a link has replaced the file.
  if (cause instanceof FileReplaced || codeOf(cause) === 'ELOOP') return changed(path);
  const reason = codeOf(cause) === 'ENOENT' ? 'it was removed' : (codeOf(cause) ?? cause);
  return new ServiceError('source-failed', `Cannot read the file ${path}: ${reason}.`, { cause });
}

function changed(path: string): ServiceError {
  return new ServiceError('source-failed', `The file ${path} has changed since the table was checked.`);
}

const CHUNK_BYTES = 256 * 1024;

/** Flags that refuse links, and prevent waiting for the writer of a pipe. */
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** The error for a path whose file was replaced. */
export class FileReplaced extends Error {
  override readonly name = 'FileReplaced';
}

/**
 * Reads the bytes of a local file by its real path. Throws FileReplaced if the path now has links or is no file, and
 * errors of the system.
 */
export async function* readLocalFile(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile() || (await realpath(dirname(path))) !== dirname(path))
      throw new FileReplaced(path);
    // The first chunk is smaller: it holds most texts whole.
    for (let size = CHUNK_BYTES / 4; ; size = CHUNK_BYTES) {
      signal.throwIfAborted();
      // A new buffer each time, because readers of image headers keep parts of it.
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(size), 0, size);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
