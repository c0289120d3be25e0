import { showingOf } from '../../field-types/display/browser-media.ts';
import { filePath } from '../../paths.ts';
import type { SourceFile } from '../../repository/content/surroundings.ts';
import { chooseMedia } from '../node-media.ts';
import type { View } from '../view.ts';

/** The image of content for previews. */
export interface Picture {
  readonly url: string;
  readonly type: string;
  readonly width: number | undefined;
  readonly height: number | undefined;
}

/** Returns the image of a media, or that of a node: its lead image, or its thumbnail. */
export function pictureOfContent(view: View): Picture | undefined {
  const { content, around, source, members, sourceField } = view;
  if (content.kind.type === 'media') {
    const item = sourceField && members[sourceField.name]?.[0];
    return pictureIn(around.file, source.baseUrl, { width: pixels(item?.width), height: pixels(item?.height) });
  }
  const { lead, thumbnail } = chooseMedia(around);
  return pictureIn(lead?.showing === 'image' ? lead.file : thumbnail, source.baseUrl);
}

function pictureIn(
  file: SourceFile | undefined,
  baseUrl: string,
  { width, height }: Partial<Picture> = {},
): Picture | undefined {
  if (file === undefined || showingOf(file.filemime) !== 'image') return undefined;
  return { url: baseUrl + filePath(file.uri), type: file.filemime, width, height };
}

function pixels(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? value : undefined;
}
