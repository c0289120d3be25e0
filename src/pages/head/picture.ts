import { showingOf } from '../../field-types/display/browser-media.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { filePath } from '../../paths.ts';
import type { AttachedFiles } from '../../repository/content/read/find-attached-files.ts';
import type { AttachedMedia, SourceFile } from '../../repository/content/read/surroundings.ts';
import type { View } from '../view.ts';

/** The image of content for previews. */
export interface Picture {
  readonly url: string;
  readonly type: string;
  readonly width: number | undefined;
  readonly height: number | undefined;
}

type Sizes = AttachedFiles['sizes'];

/** Services that make previews ignore larger images. */
const MAX_BYTES = 8_000_000;

/** Returns the image of a media, or that of a node: its representative image, or the best one of its media. */
export function pictureOfContent(view: View, sizes: Sizes = {}): Picture | undefined {
  const { content, around, source, members, sourceField } = view;
  if (content.kind.type === 'media') {
    const item = sourceField && members[sourceField.name]?.[0];
    return pictureIn(around.file, source.baseUrl, { width: pixels(item?.width), height: pixels(item?.height) });
  }
  // The representative image of an item, as it refers to it.
  const [represented] = around.targets.flatMap(({ target }) =>
    'uses' in target && isUsable(target, sizes) ? [target] : [],
  );
  const pictures = around.media.filter((media) => isUsable(media, sizes));
  const withUse = (use: string) => pictures.find((media) => isFor(media, use));
  // Most previews need a larger image.
  const isNoThumbnail = (media: AttachedMedia) => !isFor(media, MEDIA_USE_URI.thumbnail);
  const chosen =
    represented ??
    withUse(MEDIA_USE_URI.service) ??
    withUse(MEDIA_USE_URI.original) ??
    pictures.find(isNoThumbnail) ??
    pictures[0];
  const size = chosen?.file && sizes[chosen.file.id];
  return pictureIn(chosen?.file, source.baseUrl, { width: pixels(size?.width), height: pixels(size?.height) });
}

function isUsable({ file }: AttachedMedia, sizes: Sizes): boolean {
  return file !== undefined && showingOf(file.filemime) === 'image' && (sizes[file.id]?.bytes ?? 0) <= MAX_BYTES;
}

function isFor({ uses }: AttachedMedia, uri: string): boolean {
  return uses.some(({ externalUri }) => externalUri === uri);
}

function pictureIn(
  file: SourceFile | undefined,
  baseUrl: string,
  { width, height }: Pick<Picture, 'width' | 'height'>,
): Picture | undefined {
  if (file === undefined || showingOf(file.filemime) !== 'image') return undefined;
  return { url: baseUrl + filePath(file.uri), type: file.filemime, width, height };
}

function pixels(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}
