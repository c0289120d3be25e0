import type { JsonObject } from '../../base/json.ts';
import { showingOf } from '../../field-types/display/browser-media.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { filePath } from '../../paths.ts';
import type { AttachedFiles } from '../../repository/content/read/find-attached-files.ts';
import type { AttachedMedia, SourceFile } from '../../repository/content/read/surroundings.ts';
import { firstText, type View } from '../view.ts';
import type { Picture } from './picture.ts';

type Sizes = AttachedFiles['sizes'];

/** Classes of schema.org below `MediaObject`: the work is its file. */
const MEDIA_OBJECTS: ReadonlySet<string> = new Set(['ImageObject', 'VideoObject', 'AudioObject']);
const MAX_FILES = 20;

/** Files of a work: those that search engines require for its class, and all of them as encodings or downloads. */
export function workFiles(view: View, type: string, picture: Picture | undefined, sizes: Sizes): JsonObject {
  const { around, source } = view;
  const main = MEDIA_OBJECTS.has(type) ? mainFile(around.media) : undefined;
  const isDataset = type === 'Dataset';
  const files = around.media.slice(0, MAX_FILES).flatMap(({ label, file }) =>
    file === undefined
      ? []
      : {
          '@type': isDataset ? 'DataDownload' : 'MediaObject',
          name: label,
          ...fileFacts(file, source.baseUrl, sizes[file.id]?.bytes),
        },
  );
  return {
    ...(main && fileFacts(main, source.baseUrl, sizes[main.id]?.bytes)),
    ...(MEDIA_OBJECTS.has(type) && uploaded(view)),
    ...thumbnail(view, picture),
    ...(files.length > 0 && { [isDataset ? 'distribution' : 'encoding']: files }),
  };
}

/** The file of a media. */
export function mediaFile(view: View, picture: Picture | undefined): JsonObject {
  const { around, source, sizeField, members } = view;
  if (around.file === undefined) return {};
  const bytes = Number(sizeField === undefined ? Number.NaN : firstText(members, sizeField));
  return {
    ...fileFacts(around.file, source.baseUrl, bytes),
    ...uploaded(view),
    ...(picture && { thumbnailUrl: picture.url }),
  };
}

function fileFacts({ uri, filemime }: SourceFile, baseUrl: string, bytes: number | undefined): JsonObject {
  return {
    contentUrl: baseUrl + filePath(uri),
    encodingFormat: filemime,
    ...(bytes !== undefined && bytes > 0 && { contentSize: `${bytes} B` }),
  };
}

/** Returns the time of the upload in ISO 8601: that of the entity. */
function uploaded({ members }: View): JsonObject {
  const uploadDate = firstText(members, 'created');
  return uploadDate === undefined ? {} : { uploadDate };
}

function thumbnail({ around, source }: View, picture: Picture | undefined): JsonObject {
  const file = around.media.find((media) => isFor(media, MEDIA_USE_URI.thumbnail))?.file;
  const isShown = file !== undefined && showingOf(file.filemime) === 'image';
  const thumbnailUrl = isShown ? source.baseUrl + filePath(file.uri) : picture?.url;
  return thumbnailUrl === undefined ? {} : { thumbnailUrl };
}

/** The original of a work, else the file that stands for it. */
function mainFile(media: readonly AttachedMedia[]): SourceFile | undefined {
  const uses = [MEDIA_USE_URI.original, MEDIA_USE_URI.service];
  const first = uses.flatMap((use) => media.find((each) => isFor(each, use) && each.file !== undefined) ?? [])[0];
  return first?.file;
}

function isFor({ uses }: AttachedMedia, uri: string): boolean {
  return uses.some(({ externalUri }) => externalUri === uri);
}
