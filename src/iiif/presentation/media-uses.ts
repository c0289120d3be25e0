import type { ShowableMedia } from '../../repository/content/showable.ts';

const USE = 'http://pcdm.org/use#';
export const ORIGINAL = `${USE}OriginalFile`;
export const SERVICE = `${USE}ServiceFile`;
export const THUMBNAIL = `${USE}ThumbnailImage`;
export const EXTRACTED_TEXT = `${USE}ExtractedText`;
export const TRANSCRIPT = `${USE}Transcript`;
export const HOCR = 'https://discoverygarden.ca/use#hocr';

/** Uses of files about an item, or for programs. Such a file is not the item itself. */
const ABOUT: readonly string[] = [THUMBNAIL, EXTRACTED_TEXT, TRANSCRIPT, HOCR, 'https://projects.iq.harvard.edu/fits'];

export type MediaFamily = 'image' | 'audio' | 'video' | 'document';

/** Returns the family of a media's file. `document` is any file that is no picture, audio or video. */
export function familyOf({ file }: ShowableMedia): MediaFamily {
  const [family] = file.mimeType.split('/', 1);
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}

export function isFor({ uses }: ShowableMedia, use: string): boolean {
  return uses.includes(use);
}

/** Returns true if the media is the item itself, in some quality. */
export function isItself(media: ShowableMedia): boolean {
  return !ABOUT.some((use) => isFor(media, use));
}
