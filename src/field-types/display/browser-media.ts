/** The element with which a browser shows a file in a page. */
type MediaElement = 'image' | 'audio' | 'video';

/** Types that current browsers show. Includes SVG, which as an image runs no scripts and loads nothing. */
const SHOWN_TYPES: Readonly<Record<MediaElement, ReadonlySet<string>>> = {
  image: new Set(
    ['apng', 'avif', 'bmp', 'gif', 'jpeg', 'jpg', 'png', 'svg+xml', 'webp'].map((subtype) => `image/${subtype}`),
  ),
  audio: new Set(
    ['aac', 'flac', 'mp3', 'mp4', 'mpeg', 'ogg', 'opus', 'wav', 'wave', 'webm', 'x-m4a', 'x-wav'].map(
      (subtype) => `audio/${subtype}`,
    ),
  ),
  video: new Set(['mp4', 'ogg', 'webm', 'x-m4v'].map((subtype) => `video/${subtype}`)),
};

/** Returns how a browser shows a file of a MIME type. Undefined for a type to download. */
export function showingOf(filemime: string): MediaElement | undefined {
  const type = (filemime.split(';', 1)[0] ?? '').trim().toLowerCase();
  const family = type.slice(0, type.indexOf('/'));
  return isShowing(family) && SHOWN_TYPES[family].has(type) ? family : undefined;
}

function isShowing(family: string): family is MediaElement {
  return family === 'image' || family === 'audio' || family === 'video';
}
