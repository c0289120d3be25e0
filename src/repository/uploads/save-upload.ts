import mime from 'mime';
import { ServiceError, unprocessable } from '../../base/errors.ts';
import type { JsonValue } from '../../base/json.ts';
import type { FieldDefinition, Item, MediaType } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import { open } from '../content/content.ts';
import { asSubmitted } from '../content/fill/check-values.ts';
import { targetOfNew } from '../content/fill/targets.ts';
import type { Services } from '../content/services.ts';
import { changeContent, createContent } from '../content/write/save-content.ts';
import { allowsExtension, type Destination } from '../files/content-location.ts';
import { insertFile } from '../files/file-rows.ts';
import { withFreeUri } from '../files/free-uri.ts';
import { type IncomingFile, type IngestedBytes, ingest, keepIf } from '../files/ingest.ts';
import { type Scheme, storeForNew } from '../files/scheme.ts';
import { uploadDestination } from '../files/upload-destination.ts';
import { attachFile, sourceFieldOf } from '../media/attach-file.ts';
import { type PutParts, storeForSource } from '../media/put-to-node.ts';
import { replaceSource } from '../media/replace-source.ts';
import { MEMBER_OF } from '../relations.ts';
import {
  type AttachTarget,
  type NewItem,
  RIGHTS_FIELD,
  TRACK_FIELD,
  type TrackOfMedia,
  type UploadSave,
} from './attach-target.ts';
import { createUpload } from './create-upload.ts';
import { findItem, type UploadEntities } from './upload-result.ts';
import { finishUpload, nodeOfUpload, reserveNode } from './upload-rows.ts';

/**
 * Returns the scheme whose storage will hold the file. Throws `unprocessable` for a file whose extension the target does
 * not accept.
 */
export async function storeOfTarget(parts: PutParts, target: AttachTarget, filename: string): Promise<Scheme> {
  if (target.as !== 'source')
    return storeForNew(parts.services, destinationOf(parts, fieldOf(target), filename).scheme);
  const { fileExtensions } = fieldOf(target);
  if (!allowsExtension(fileExtensions, filename)) throw badExtension(fileExtensions);
  return storeForSource(parts, target.media);
}

/** Saves a stored file. The parts of the upload are discarded in the transaction that saves its media. */
export async function saveUpload(parts: PutParts, save: UploadSave): Promise<UploadEntities> {
  checkFile(fieldOf(save.target), save.ingested);
  const { target } = save;
  switch (target.as) {
    case 'media':
      return { ...(await saveMedia(parts, save, target)), nodeId: undefined };
    case 'item': {
      const nodeId = await saveItem(parts, { ...save, target });
      return { ...(await saveMedia(parts, save, { ...target, nodeId })), nodeId };
    }
    case 'source':
      return replace(parts, { ...save, target });
    case 'track':
      return saveTrack(parts, { ...save, target });
  }
}

interface MediaPlacement {
  readonly nodeId: number;
  readonly type: MediaType;
  readonly termId: number;
}

async function saveMedia(
  parts: PutParts,
  { actor, upload, ingested }: UploadSave,
  { nodeId, type, termId }: MediaPlacement,
): Promise<Omit<UploadEntities, 'nodeId'>> {
  const { services, kinds } = parts;
  const { sourceField } = type;
  const { uri } = destinationOf(parts, sourceField, upload.filename);
  const values: Record<string, Item[]> = { name: [{ value: upload.filename }] };
  if (type.source === 'image') values[sourceField.name] = [{ alt: upload.filename }];
  const media = await attachFile(
    services,
    actor,
    kinds.media,
    { nodeId, termId, type },
    { ingested, uri, values, madeBy: '' },
    {
      anyBundle: true,
      after: (mediaUuid) => finishUpload({ id: upload.id, sha256: ingested.staged.sha256, mediaUuid, fileId: null }),
    },
  );
  return { mediaId: media.head.id, fileId: undefined };
}

/**
 * Creates the item of an upload, or returns the id of the one that another request has created. All requests use the UUID that
 * the first one has reserved, so that there is one item.
 */
async function saveItem(parts: PutParts, { actor, upload, target }: UploadSave<NewItem>): Promise<number> {
  const { services, kinds } = parts;
  const uuid = upload.nodeUuid ?? (await reserved(services, upload.id));
  const known = await findItem(services, uuid);
  if (known !== undefined) return known;
  const { nodeType, title, parentId, modelId, weight, published, rights } = target;
  const raw: Record<string, JsonValue> = {
    uuid: [{ value: uuid }],
    title: [{ value: title }],
    field_model: [{ target_id: modelId }],
    [MEMBER_OF]: [{ target_id: parentId }],
    ...(published === undefined ? {} : { status: [{ value: published }] }),
    ...(rights === undefined ? {} : { [RIGHTS_FIELD]: [{ value: rights }] }),
    ...(weight === undefined ? {} : { field_weight: [{ value: weight }] }),
  };
  const values = asSubmitted({ kind: kinds.node, bundle: nodeType }, raw, services.fields.types);
  try {
    return (await createContent(services, actor, kinds.node, nodeType, values)).head.id;
  } catch (error) {
    const other = await findItem(services, uuid);
    if (other === undefined) throw error;
    return other;
  }
}

/** Returns the UUID of the item of an upload, which the first request reserves. Throws `conflict` if the upload was removed. */
async function reserved({ database }: Services, id: string): Promise<string> {
  const nodeUuid = Bun.randomUUIDv7();
  const { nodes } = await database.write({
    reserved: reserveNode({ id, nodeUuid }),
    nodes: nodeOfUpload({ id }),
  });
  const uuid = nodes[0]?.nodeUuid;
  if (typeof uuid !== 'string') throw new ServiceError('conflict', 'Another request has deleted this upload.');
  return uuid;
}

async function replace(
  { services, findContent, findFile }: PutParts,
  { actor, upload, target, ingested }: UploadSave<Extract<AttachTarget, { as: 'source' }>>,
): Promise<UploadEntities> {
  const { media } = target;
  const read = async () => {
    const current = await findContent('media', media.head.id);
    if (current === undefined) throw new ServiceError('conflict', 'Another request deleted the media.');
    return current;
  };
  const filemime = mime.getType(upload.filename) ?? upload.filemime;
  const mediaUuid = open(media).draft.uuid;
  const before = finishUpload({ id: upload.id, sha256: ingested.staged.sha256, mediaUuid, fileId: null });
  const { check, note } = target;
  await replaceSource(services, { actor, ingested, filemime, findFile, read, check, before, chain: [], note });
  return { mediaId: media.head.id, nodeId: undefined, fileId: undefined };
}

function fieldOf(target: AttachTarget): FieldDefinition {
  if (target.as === 'media' || target.as === 'item') return sourceFieldOf(target.type);
  const { bundle } = target.media;
  if (target.as === 'source') return sourceFieldOf(bundle as MediaType);
  const field = bundle.fieldNamed.get(TRACK_FIELD);
  if (field !== undefined) return field;
  throw unprocessable(`Media of the type ${bundle.name} have no captions.`);
}

function checkFile({ maxFileBytes, mustBeImage, label }: FieldDefinition, { staged, size }: IngestedBytes): void {
  if (maxFileBytes !== undefined && staged.bytes > maxFileBytes)
    throw unprocessable(`The file has ${staged.bytes} bytes. "${label}" accepts at most ${maxFileBytes}.`);
  if (mustBeImage && size === undefined)
    throw unprocessable(`The file is not a valid image, which "${label}" requires.`);
}

function badExtension(allowed: readonly string[] = []): ServiceError {
  return unprocessable(`Only files with the following extensions are allowed: ${allowed.join(' ')}.`);
}

/** Adds a stored file to the tracks of a media. Throws `conflict` if the media has changed since it was read. */
async function saveTrack(
  parts: PutParts,
  { actor, upload, target, ingested }: UploadSave<TrackOfMedia>,
): Promise<UploadEntities> {
  const { services, findContent } = parts;
  const { media, kind, label, language } = target;
  const { draft, values } = open(media);
  const field = media.bundle.fieldNamed.get(TRACK_FIELD);
  const { uri } = destinationOf(parts, field, upload.filename);
  const read = async () => {
    const current = await findContent('media', media.head.id);
    if (current === undefined) throw new ServiceError('conflict', 'Another request deleted the media.');
    return current;
  };
  return withFreeUri(services, { ingested, uri }, async (file) => {
    const track = { target_id: file.id, kind, label, srclang: language };
    const raw = { [TRACK_FIELD]: [...(values[TRACK_FIELD] ?? []), track] };
    const submitted = asSubmitted(media, raw, services.fields.types);
    await changeContent(services, actor, submitted, {
      read,
      check(current) {
        target.check(current);
        if (current.head.version !== media.head.version)
          throw new ServiceError('conflict', 'The media has changed meanwhile. Try again.');
      },
      before: [
        insertFile(services, actor, file, true),
        ...finishUpload({
          id: upload.id,
          sha256: ingested.staged.sha256,
          mediaUuid: draft.uuid,
          fileId: file.id,
        }),
      ],
      newTargets: [targetOfNew(actor, file)],
    });
    return { mediaId: media.head.id, nodeId: undefined, fileId: file.id };
  });
}

/** Returns where a file of that name is stored for a field. Throws `unprocessable` for a name that it does not accept. */
function destinationOf({ services }: PutParts, field: FieldDefinition | undefined, filename: string): Destination {
  if (field === undefined) throw unprocessable('Media of this type have no captions.');
  const destination = uploadDestination(services, field, filename);
  if (destination !== undefined) return destination;
  throw new ServiceError('misconfigured', 'The storage for this field is not configured.', {
    cause: `field ${field.name} stores in ${field.uriScheme}, which is not configured`,
  });
}

/** A file of a form, which arrives in one request. */
interface FormFile {
  readonly filename: string;
  readonly filemime: string;
  readonly upload: Pick<IncomingFile, 'body' | 'isFromNetwork' | 'maxBytes' | 'minRate' | 'signal'>;
}

/** Stores a file of a form, and saves it as `target` says. Throws `unprocessable` for an empty one, and as `saveUpload`. */
export async function saveFormFile(
  parts: PutParts,
  actor: Actor,
  target: AttachTarget,
  { filename, filemime, upload }: FormFile,
): Promise<UploadEntities & { readonly sha256: string }> {
  const { services } = parts;
  const store = await storeOfTarget(parts, target, filename);
  const ingested = await ingest(store, { ...upload, declaredBytes: undefined, digests: [] });
  const { bytes, sha256 } = ingested.staged;
  return keepIf(ingested, async () => {
    if (bytes === 0) throw unprocessable('The file is empty (0 bytes): nothing was saved.');
    // An upload without parts: the same transactions save it.
    const row = await createUpload(services, actor, { filename, filemime, metadata: null, bytes });
    return { ...(await saveUpload(parts, { actor, upload: row, target, ingested })), sha256 };
  });
}
