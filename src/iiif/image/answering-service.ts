import { usualType } from '../../base/usual-type.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import type { ShowableMedia } from '../../repository/content/lists/find-showable.ts';
import { FORMAT_TYPES } from './image-request.ts';
import { type ImageService, imageService } from './image-service.ts';

/** A media with an image, with all media of its node. */
export interface ServiceMedia {
  readonly id: number;
  readonly uuid: string;
  readonly filemime: string;
  readonly siblings: readonly ShowableMedia[];
}

interface Answering {
  readonly baseUrl: string;
  /** The ids of media whose tiles could not be made. */
  readonly unserved: ReadonlySet<number>;
  readonly canTransform: boolean;
}

const STORED_TYPES: ReadonlySet<string> = new Set(Object.values(FORMAT_TYPES));
const COPY_USES: readonly string[] = [MEDIA_USE_URI.service, MEDIA_USE_URI.thumbnail];

/** Returns the image service of a media. Undefined if it has none, and if the service could not answer. */
export function answeringService(media: ServiceMedia, answering: Answering): ImageService | undefined {
  const { baseUrl, unserved, canTransform } = answering;
  if (unserved.has(media.id)) return undefined;
  return canTransform || hasStored(media) ? imageService(media, baseUrl, canTransform) : undefined;
}

/** Returns true if tiles or whole images of a media are stored. */
function hasStored({ id, filemime, siblings }: ServiceMedia): boolean {
  if (STORED_TYPES.has(usualType(filemime))) return true;
  return siblings.some(
    ({ id: other, uses, file }) =>
      other !== id &&
      (uses.includes(MEDIA_USE_URI.tiles) ||
        (uses.some((use) => COPY_USES.includes(use)) && STORED_TYPES.has(file.mimeType))),
  );
}
