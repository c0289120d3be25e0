import mime from 'mime';
import { codeOf, ServiceError } from '../../base/errors.ts';
import type { ClaimedDigest } from '../../http/digest-fields.ts';
import type { Item } from '../../model/content-model.ts';
import { asSubmitted } from '../../repository/content/check-values.ts';
import { createContent } from '../../repository/content/save-content.ts';
import type { InsertContent } from '../../repository/content/write-content.ts';
import { insertFile, type NewFile, targetOf } from '../../repository/files/file-rows.ts';
import { withFreeUri } from '../../repository/files/free-uri.ts';
import { type Ingested, ingest, keepIf } from '../../repository/files/ingest.ts';
import { storeForNew } from '../../repository/files/scheme.ts';
import { storedName } from '../../repository/files/stored-name.ts';
import { uploadDirectory } from '../../repository/files/upload-directory.ts';
import type { Scheme } from '../../repository/services.ts';
import type { PlannedFile } from '../table/row-plan.ts';
import type { LoadContext } from '../table/table-options.ts';
import type { HeldRun } from './import-run.ts';
import { noteItem } from './journal-items.ts';
import { FileReplaced, readLocalFile } from './read-local-file.ts';

/** A file of a row whose node is there. */
export interface FileOfRow {
  readonly rowId: string;
  readonly nodeId: number;
  readonly file: PlannedFile;
}

/**
 * Keeps the bytes of a file, and makes file, media and what the journal says of them in one transaction. Answers the
 * id of the media. Throws ServiceError; nothing is left then.
 */
export async function loadFile(
  context: LoadContext,
  run: HeldRun,
  { rowId, nodeId, file }: FileOfRow,
  insert: InsertContent,
  signal: AbortSignal,
): Promise<number> {
  const { services, kinds, actor } = context;
  const { mediaType, part, fingerprint } = file;
  const { sourceField } = mediaType;
  const { uri, scheme } = destinationOf(context, file);
  const ingested = await receive(storeForNew(services, scheme), file, signal);
  const media = await keepIf(ingested, async () => {
    const id = await services.fileIds();
    return withFreeUri(services.database, uri, (free) => {
      const filename = free.slice(free.lastIndexOf('/') + 1);
      const filemime = mime.getType(filename) ?? 'application/octet-stream';
      const row: NewFile = { id, uuid: Bun.randomUUIDv7(), uri: free, filename, filemime, ingested };
      const own: Item = { ...file.values[sourceField.name]?.[0], target_id: id };
      if (sourceField.type === 'image') own.alt ??= sourceField.altFieldRequired ? filename : '';
      const values = asSubmitted(
        { kind: kinds.media, bundle: mediaType },
        {
          ...(file.values as Record<string, Item[]>),
          [sourceField.name]: [own],
          field_media_of: [{ target_id: nodeId }],
          field_media_use: [{ target_id: file.useTermId }],
        },
      );
      return createContent(services, actor, kinds.media, mediaType, values, {
        before: [insertFile(services, actor, row, true)],
        after: (uuid) => [noteItem(run, { rowId, part, fingerprint }, 'media', uuid)],
        newTargets: [targetOf(actor, row)],
        insert,
      });
    });
  });
  return media.head.id;
}

/** Where an upload of that name for the field of its media type would be kept. */
function destinationOf({ services }: LoadContext, { mediaType, name }: PlannedFile): { uri: string; scheme: Scheme } {
  const { uriScheme = 'public', fileDirectory = '' } = mediaType.sourceField;
  const scheme = services.schemes.get(uriScheme);
  if (scheme === undefined)
    throw new ServiceError(
      'misconfigured',
      `The storage scheme ${uriScheme}, for ${mediaType.name}, is not configured.`,
    );
  const folder = uploadDirectory(fileDirectory, services.now());
  const filename = storedName(name, mediaType.sourceField);
  return { uri: `${scheme.name}://${folder === '' ? '' : `${folder}/`}${filename}`, scheme };
}

async function receive(store: Scheme, { path, bytes, sha256 }: PlannedFile, signal: AbortSignal): Promise<Ingested> {
  let failure: unknown;
  const body = async function* () {
    try {
      yield* readLocalFile(path, signal);
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  try {
    const digests: ClaimedDigest[] = sha256 === undefined ? [] : [{ field: 'Content-Digest', sha256 }];
    return await ingest(store, { body: body(), declaredBytes: bytes, digests, maxBytes: undefined, signal });
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (failure !== undefined) throw unreadable(path, failure);
    if (error instanceof ServiceError && error.kind === 'malformed') throw changed(path);
    throw error;
  }
}

function unreadable(path: string, cause: unknown): ServiceError {
  // What is a link by now cannot be opened.
  if (cause instanceof FileReplaced || codeOf(cause) === 'ELOOP') return changed(path);
  const reason = codeOf(cause) === 'ENOENT' ? 'is not there any more' : `cannot be read (${codeOf(cause) ?? cause})`;
  return new ServiceError('source-failed', `The file ${path} ${reason}.`, { cause });
}

function changed(path: string): ServiceError {
  return new ServiceError('source-failed', `The file ${path} has changed since the table was checked.`);
}
