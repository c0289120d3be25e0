import { ServiceError } from '../../base/errors.ts';
import { open } from '../content/content.ts';
import { asSubmitted } from '../content/fill/check-values.ts';
import { targetOfNew } from '../content/fill/targets.ts';
import { changeContent } from '../content/write/save-content.ts';
import { insertFile } from '../files/file-rows.ts';
import { withFreeUri } from '../files/free-uri.ts';
import type { PutParts } from '../media/put-to-node.ts';
import { TRACK_FIELD, type TrackOfMedia, type UploadSave } from './attach-target.ts';
import { destinationOf } from './destination-of.ts';
import type { Attached } from './upload-result.ts';
import { finishUpload } from './upload-rows.ts';

/** Adds a stored file to the tracks of a media. Throws `conflict` if the media has changed since it was read. */
export async function saveTrack(
  parts: PutParts,
  { actor, upload, target, ingested }: UploadSave<TrackOfMedia>,
): Promise<Attached> {
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
