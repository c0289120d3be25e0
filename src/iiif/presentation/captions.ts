import { ownPath } from '../../field-types/display/addresses.ts';
import type { Item } from '../../model/content-model.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { filePath } from '../../paths.ts';
import type { CanvasMedia } from './choose-canvas-media.ts';
import { inLanguage } from './language-map.ts';
import { isFor } from './media-uses.ts';
import type { Resource } from './resource.ts';

const VTT = 'text/vtt';
/** The tracks with words for a viewer. Others are chapters or data for scripts. */
const WORDS: ReadonlySet<unknown> = new Set(['captions', 'subtitles', 'descriptions', null, '']);
/** The label of a track without one. */
const UNNAMED = 'Captions';

/**
 * Returns the captions of audio or video as annotations of its canvas (IIIF Cookbook, recipe 0219): the tracks of its media,
 * and transcripts in WebVTT. Undefined without any.
 */
export function captionPage(
  { family, node, original, painted }: CanvasMedia,
  canvas: string,
  baseUrl: string,
): Resource | undefined {
  if (family !== 'audio' && family !== 'video') return undefined;
  const tracks = new Map<string, Resource>();
  for (const media of new Set([painted ?? original, original]))
    for (const item of media.tracks) {
      const path = ownPath(item.url);
      if (path !== undefined && WORDS.has(item.kind ?? null)) tracks.set(path, trackBody(item, baseUrl + path));
    }
  for (const media of node.media) {
    const path = filePath(media.file.uri);
    if (media.file.mimeType === VTT && isFor(media, MEDIA_USE_URI.transcript) && !tracks.has(path))
      tracks.set(path, vtt(baseUrl + path, media.label, node.language));
  }
  if (tracks.size === 0) return undefined;
  const page = `${canvas}/captions`;
  const items = [...tracks.values()].map((body, index) => ({
    id: `${page}/${index + 1}`,
    type: 'Annotation',
    motivation: 'supplementing',
    body,
    target: canvas,
  }));
  return { id: page, type: 'AnnotationPage', items };
}

function trackBody({ label, srclang }: Item, id: string): Resource {
  const text = typeof label === 'string' && label.trim() !== '' ? label : UNNAMED;
  return vtt(id, text, typeof srclang === 'string' && srclang !== '' ? srclang : undefined);
}

function vtt(id: string, label: string, language: string | undefined): Resource {
  return { id, type: 'Text', format: VTT, label: inLanguage(language, label), language };
}
