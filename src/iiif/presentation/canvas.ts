import { filePath } from '../../paths.ts';
import type { ShowableFile, ShowableMedia } from '../../repository/content/showable.ts';
import { annotationsId, canvasId } from './addresses.ts';
import { captionPage } from './captions.ts';
import type { Shown } from './choose-shown.ts';
import { inLanguage } from './language-map.ts';
import { EXTRACTED_TEXT, familyOf, HOCR, isFor } from './media-uses.ts';
import type { Resource } from './resource.ts';
import { canvasSeconds, canvasSize, type MeasuredOf, type Size, sizeOf } from './sizes.ts';
import { MAX_HOCR_BYTES } from './text-annotations.ts';

/** The description of an image service. */
interface ImageService {
  readonly id: string;
  readonly type: string;
  readonly profile: string;
}

/** The parts of the repository that canvases depend on. */
export interface CanvasSource {
  /** Scheme, host and path, without a slash at the end. */
  readonly baseUrl: string;
  /** The language of texts of the repository itself. */
  readonly labelLanguage: string;
  readonly measuredOf: MeasuredOf;
  /** Returns the image service of a media. Undefined if it has none. */
  readonly serviceOf: (media: { readonly uuid: string; readonly filemime: string }) => ImageService | undefined;
}

/** Returns the canvas of a node: a picture, audio, video, or a document with the picture of its first page. */
export function canvasOf(shown: Shown, source: CanvasSource): Resource {
  const { node, family, original } = shown;
  const { baseUrl, measuredOf, labelLanguage } = source;
  const id = canvasId(baseUrl, node.id, original.id);
  const size = canvasSize(shown, measuredOf);
  const duration = canvasSeconds(shown, measuredOf);
  const body = bodyOf(shown, size, duration, source);
  const captions = captionPage(shown, id, baseUrl);
  const hasLines = size && node.media.some((media) => isFor(media, HOCR) && media.file.bytes <= MAX_HOCR_BYTES);
  const lines = hasLines ? [{ id: annotationsId(baseUrl, node.id, original.id), type: 'AnnotationPage' }] : [];
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

/** Returns the annotation that puts a body on a whole canvas. */
function painting(canvas: string, body: Resource): Resource {
  return { id: `${canvas}/painting`, type: 'Annotation', motivation: 'painting', body, target: canvas };
}

const BODY_TYPES = { image: 'Image', document: 'Image', audio: 'Sound', video: 'Video' } as const;

function bodyOf(
  shown: Shown,
  size: Size | undefined,
  duration: number | undefined,
  source: CanvasSource,
): Resource | undefined {
  const { family, original, painted } = shown;
  if (family === 'audio' || family === 'video') {
    const { file } = painted ?? original;
    return { ...fileResource(file, BODY_TYPES[family], source.baseUrl), ...size, duration };
  }
  const service =
    family === 'image' ? (serviceFor(original, source) ?? (painted && serviceFor(painted, source))) : undefined;
  // A picture that no browser shows is loaded through its service alone.
  const isServed =
    painted === undefined || (family === 'image' && familyOf(painted) === 'image' && painted === shown.thumbnail);
  if (service !== undefined && isServed)
    return {
      id: `${service.id}/full/max/0/default.jpg`,
      type: 'Image',
      format: 'image/jpeg',
      ...size,
      service: [service],
    };
  return painted && { ...pictureResource(painted.file, source), service: service && [service] };
}

function serviceFor({ uuid, file }: ShowableMedia, { serviceOf }: CanvasSource): ImageService | undefined {
  return serviceOf({ uuid, filemime: file.mimeType });
}

function fileResource(file: ShowableFile, type: string, baseUrl: string): Resource {
  return { id: baseUrl + filePath(file.uri), type, format: file.mimeType };
}

/** Returns a picture with its size. */
export function pictureResource(file: ShowableFile, { baseUrl, measuredOf }: CanvasSource): Resource {
  return { ...fileResource(file, 'Image', baseUrl), ...sizeOf(file, measuredOf) };
}

/** Returns the small picture of a canvas, or of a picture without one the picture itself. */
export function thumbnailOf({ family, painted, thumbnail }: Shown, source: CanvasSource): Resource | undefined {
  const media = thumbnail ?? (family === 'image' ? painted : undefined);
  return media && pictureResource(media.file, source);
}

/** Returns the picture that is shown while audio plays, or before a video does. */
function pictureBeside(family: Shown['family'], id: string, picture: Resource | undefined): Resource {
  if ((family !== 'audio' && family !== 'video') || picture === undefined) return {};
  const { width = 1000, height = 1000 } = picture;
  const canvas = `${id}/picture`;
  const items = [{ id: `${canvas}/page`, type: 'AnnotationPage', items: [painting(canvas, picture)] }];
  const beside = { id: canvas, type: 'Canvas', width, height, items };
  return family === 'audio' ? { accompanyingCanvas: beside } : { placeholderCanvas: beside };
}

/** Returns the files that a reader of a canvas may want besides: its document and its text. */
function renderingsOf({ family, node, original }: Shown, { baseUrl, labelLanguage }: CanvasSource): Resource[] {
  const texts = node.media.filter((media) => isFor(media, EXTRACTED_TEXT) && media.file.mimeType.startsWith('text/'));
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
