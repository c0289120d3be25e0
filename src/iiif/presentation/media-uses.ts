import { MEDIA_USE_URI } from '../../model/media-use.ts';
import type { ShowableMedia } from '../../repository/content/lists/find-showable.ts';

/** Uses of files about an item, or for programs. Such a file is not the item itself. */
const ABOUT: readonly string[] = [
  MEDIA_USE_URI.thumbnail,
  MEDIA_USE_URI.extractedText,
  MEDIA_USE_URI.transcript,
  MEDIA_USE_URI.hocr,
  MEDIA_USE_URI.fits,
];

export type MediaFamily = 'image' | 'audio' | 'video' | 'document';

/** Returns the family of a media's file. `document` is any file that is no picture, audio or video. */
export function familyOf({ file }: ShowableMedia): MediaFamily {
  const [family] = file.mimeType.split('/', 1);
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}

export function isFor({ uses }: ShowableMedia, use: string): boolean {
  return uses.includes(use);
}

/** The types of texts that may have the places of words. */
const PLACED_TEXT = /[/+]xml$|^text\/vnd\.hocr\+html$/;

/** Returns the media with the recognized text of a page: its hOCR, or else a text in XML such as ALTO. Undefined without any. */
export function recognizedTextOf(media: readonly ShowableMedia[]): ShowableMedia | undefined {
  const isText = (each: ShowableMedia) =>
    isFor(each, MEDIA_USE_URI.extractedText) || isFor(each, MEDIA_USE_URI.transcript);
  return (
    media.find((each) => isFor(each, MEDIA_USE_URI.hocr)) ??
    media.find((each) => isText(each) && PLACED_TEXT.test(each.file.mimeType))
  );
}

/** Returns true if the media is the item itself, in some quality. */
export function isItself(media: ShowableMedia): boolean {
  return !ABOUT.some((use) => isFor(media, use));
}
