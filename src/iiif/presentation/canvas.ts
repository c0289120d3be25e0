import { ownPath } from '../../field-types/display/addresses.ts';
import type { Item } from '../../model/content-model.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { filePath } from '../../paths.ts';
import type { ShowableFile, ShowableMedia } from '../../repository/content/lists/find-showable.ts';
import type { ServiceMedia } from '../image/answering-service.ts';
import type { ImageService } from '../image/image-service.ts';
import { createTileGrid } from '../image/tile-grid.ts';
import type { CanvasMedia } from './choose-canvas-media.ts';
import { inLanguage } from './language-map.ts';
import { familyOf, isFor, recognizedTextOf } from './media-uses.ts';
import { MAX_RECOGNIZED_BYTES } from './read-recognized.ts';
import { annotationsId, canvasId, type Resource } from './resource.ts';
import { canvasSeconds, canvasSize, type MeasurementsOf, type Size, sizeOf } from './sizes.ts';

/** The parts of the repository that canvases depend on. */
export interface CanvasSource {
  /** Scheme, host and path, without a slash at the end. */
  readonly baseUrl: string;
  /** The language of texts of the repository itself. */
  readonly labelLanguage: string;
  readonly measuredOf: MeasurementsOf;
  /** Returns the image service of a media. Undefined if it has none. */
  readonly serviceOf: (media: ServiceMedia) => ImageService | undefined;
}

/** Returns the canvas of a node: a picture, audio, video, or a document with the picture of its first page. */
export function canvasOf(shown: CanvasMedia, source: CanvasSource): Resource {
  const { node, family, original } = shown;
  const { baseUrl, measuredOf, labelLanguage } = source;
  const id = canvasId(baseUrl, node.id, original.id);
  const size = canvasSize(shown, measuredOf);
  const duration = canvasSeconds(shown, measuredOf);
  const body = bodyOf(shown, size, duration, source);
  const captions = captionPage(shown, id, baseUrl);
  const lines =
    size && hasLines(node) ? [{ id: annotationsId(baseUrl, node.id, original.id), type: 'AnnotationPage' }] : [];
  const annotations = [...(captions === undefined ? [] : [captions]), ...lines];
  const rendering = renderingsOf(shown, source);
  const thumbnail = thumbnailOf(shown, source);
  return {
    id,
    type: 'Canvas',
    label: inLanguage(node.language ?? labelLanguage, node.label),
    ...size,
    duration,
    thumbnail: thumbnail && [thumbnail],
    ...pictureBeside(family, id, thumbnail),
    rendering: rendering.length > 0 ? rendering : undefined,
    items: [{ id: `${id}/page`, type: 'AnnotationPage', items: body === undefined ? [] : [painting(id, body)] }],
    annotations: annotations.length > 0 ? annotations : undefined,
  };
}

/** Returns true if a node has recognized text that can be read. */
export function hasLines({ media }: CanvasMedia['node']): boolean {
  const text = recognizedTextOf(media);
  return text !== undefined && text.file.bytes <= MAX_RECOGNIZED_BYTES;
}

/** Returns the annotation that puts a body on a whole canvas. */
function painting(canvas: string, body: Resource): Resource {
  return { id: `${canvas}/painting`, type: 'Annotation', motivation: 'painting', body, target: canvas };
}

const BODY_TYPES = { image: 'Image', document: 'Image', audio: 'Sound', video: 'Video' } as const;

function bodyOf(
  shown: CanvasMedia,
  size: Size | undefined,
  duration: number | undefined,
  source: CanvasSource,
): Resource | undefined {
  const { family, original, painted } = shown;
  if (family === 'audio' || family === 'video') {
    const { file } = painted ?? original;
    return { ...fileResource(file, BODY_TYPES[family], source.baseUrl), ...size, duration };
  }
  const service = family === 'image' ? serviceOf(shown, source) : undefined;
  // A picture that no browser shows is loaded through its service.
  if (service !== undefined && (painted === undefined || painted === shown.thumbnail))
    return servedPicture(service, 'max', size);
  return painted && { ...pictureResource(painted.file, source), service: service && [service] };
}

/** Returns the image service of a picture: that of the best file with one. */
function serviceOf({ node, original, painted }: CanvasMedia, source: CanvasSource): ImageService | undefined {
  const of = ({ id, uuid, file }: ShowableMedia) =>
    source.serviceOf({ id, uuid, filemime: file.mimeType, siblings: node.media });
  return of(original) ?? (painted && of(painted));
}

/** Returns a whole picture in a size of its service. */
function servedPicture(service: ImageService, requested: string, size: Size | undefined): Resource {
  const id = `${service.id}/full/${requested}/0/default.jpg`;
  return { id, type: 'Image', format: 'image/jpeg', ...size, service: [service] };
}

function fileResource(file: ShowableFile, type: string, baseUrl: string): Resource {
  return { id: baseUrl + filePath(file.uri), type, format: file.mimeType };
}

/** Returns a picture with its size. */
export function pictureResource(file: ShowableFile, { baseUrl, measuredOf }: CanvasSource): Resource {
  return { ...fileResource(file, 'Image', baseUrl), ...sizeOf(file, measuredOf) };
}

/** Returns the small picture of a canvas, or of a picture without one a small size of it, or else the picture itself. */
export function thumbnailOf(shown: CanvasMedia, source: CanvasSource): Resource | undefined {
  const { family, painted, thumbnail } = shown;
  if (thumbnail !== undefined) return pictureResource(thumbnail.file, source);
  if (family !== 'image') return undefined;
  const service = serviceOf(shown, source);
  const size = canvasSize(shown, source.measuredOf);
  // Other services have stored sizes alone, which may lack this one.
  if (service?.profile === 'level2' && size !== undefined) {
    const small = smallestLevel(size);
    return servedPicture(service, `${small.width},${small.height}`, small);
  }
  return painted && pictureResource(painted.file, source);
}

/** Returns the size of an image that is one tile, which its service has stored. */
function smallestLevel(size: Size): Size {
  const scale = createTileGrid(size).levels.at(-1)?.scale ?? 1;
  return { width: Math.ceil(size.width / scale), height: Math.ceil(size.height / scale) };
}

/** Returns the picture that is shown while audio plays, or before a video does. */
function pictureBeside(family: CanvasMedia['family'], id: string, picture: Resource | undefined): Resource {
  if ((family !== 'audio' && family !== 'video') || picture === undefined) return {};
  const { width = 1000, height = 1000 } = picture;
  const canvas = `${id}/picture`;
  const items = [{ id: `${canvas}/page`, type: 'AnnotationPage', items: [painting(canvas, picture)] }];
  const beside = { id: canvas, type: 'Canvas', width, height, items };
  return family === 'audio' ? { accompanyingCanvas: beside } : { placeholderCanvas: beside };
}

/** Returns the files that a reader of a canvas may want besides: its document and its text. */
function renderingsOf({ family, node, original }: CanvasMedia, { baseUrl, labelLanguage }: CanvasSource): Resource[] {
  const texts = node.media.filter(
    (media) => isFor(media, MEDIA_USE_URI.extractedText) && media.file.mimeType.startsWith('text/'),
  );
  return [
    ...(family === 'document' ? [rendering(original, 'Document', baseUrl, labelLanguage)] : []),
    ...texts.map((text) => rendering(text, 'Text', baseUrl, labelLanguage)),
  ];
}

const RENDERED_TYPES = { image: 'Image', audio: 'Sound', video: 'Video', document: 'Text' } as const;

/** Returns a file as an alternative to a canvas or a manifest. */
export function rendering(media: ShowableMedia, label: string, baseUrl: string, language: string): Resource {
  return { ...fileResource(media.file, RENDERED_TYPES[familyOf(media)], baseUrl), label: inLanguage(language, label) };
}

const VTT = 'text/vtt';
/** The tracks with words for a viewer. Others are chapters or data for scripts. */
const WORDS: ReadonlySet<unknown> = new Set(['captions', 'subtitles', 'descriptions', null, '']);
/** The label of a track without one. */
const UNNAMED = 'Captions';

/**
 * Returns the captions of audio or video as annotations of its canvas (IIIF Cookbook, recipe 0219): the tracks of its media,
 * and transcripts in WebVTT. Undefined without any.
 */
function captionPage(
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
