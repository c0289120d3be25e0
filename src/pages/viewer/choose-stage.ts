import { ownPath } from '../../field-types/display/addresses.ts';
import { showingOf } from '../../field-types/display/browser-media.ts';
import { isServedImage } from '../../iiif/image/image-service.ts';
import { chooseCanvasMedia } from '../../iiif/presentation/choose-canvas-media.ts';
import { isFor, isItself } from '../../iiif/presentation/media-uses.ts';
import type { Item } from '../../model/content-model.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { filePath, pathOf } from '../../paths.ts';
import type { ShowableFile, ShowableMedia, ShowableNode } from '../../repository/content/lists/find-showable.ts';
import type { Stage, StageFile, StagePicture, StageTrack } from './stage.ts';

const PDF = 'application/pdf';
const VTT = 'text/vtt';
const TRACK_KINDS: ReadonlySet<unknown> = new Set(['captions', 'subtitles', 'descriptions', 'chapters']);

/**
 * Chooses what the stage of a node or media shows, among the media that the caller may view; the same as its manifest.
 * Undefined without a file to show. `unserved` are the ids of media whose image service cannot answer.
 */
export function chooseStage(node: ShowableNode, unserved: ReadonlySet<number>): Stage | undefined {
  const thumbnail = node.media.find((media) => isFor(media, MEDIA_USE_URI.thumbnail) && isPicture(media));
  const picture = thumbnail && pictureOf(thumbnail.file);
  const pdf = pdfOf(node);
  if (pdf !== undefined) return { kind: 'pdf', file: fileOf(pdf.file), picture };
  const [shown] = chooseCanvasMedia({ node, members: [], parentModels: new Map() }, false);
  if (shown === undefined) return otherStage(node, picture);
  const { family, original, painted } = shown;
  if (family === 'image') {
    const still = painted !== undefined && isPicture(painted) ? pictureOf(painted.file) : picture;
    const served = [original, painted].find((media) => media !== undefined && isServed(media, unserved));
    const service = served && `${pathOf('image', { media_uuid: served.uuid })}/info.json`;
    if (still === undefined && service === undefined) return otherStage(node, picture);
    return { kind: 'image', picture: still, service, alt: undefined };
  }
  if (family !== 'document' && painted !== undefined && showingOf(painted.file.mimeType) === family)
    return { kind: family, file: fileOf(painted.file), tracks: tracksOf([painted, original], node), picture };
  return otherStage(node, picture);
}

function otherStage(node: ShowableNode, picture: StagePicture | undefined): Stage | undefined {
  const itself = node.media.filter(isItself);
  const media = itself.find((each) => isFor(each, MEDIA_USE_URI.original)) ?? itself[0];
  if (media !== undefined) return { kind: 'other', file: fileOf(media.file), picture, isPreparing: false };
  return picture && { kind: 'image', picture, service: undefined, alt: undefined };
}

/** Returns the PDF of a node whose original is a document. */
function pdfOf(node: ShowableNode): ShowableMedia | undefined {
  const itself = node.media.filter(isItself);
  const pdfs = itself.filter(({ file }) => file.mimeType === PDF);
  const others = itself.filter(({ file }) => /^(?:image|audio|video)\//.test(file.mimeType));
  // An image or a recording may have a document about it.
  if (others.some((media) => isFor(media, MEDIA_USE_URI.original))) return undefined;
  return (
    pdfs.find((media) => isFor(media, MEDIA_USE_URI.original)) ??
    pdfs.find((media) => isFor(media, MEDIA_USE_URI.service)) ??
    (others.length === 0 ? pdfs[0] : undefined)
  );
}

function tracksOf(media: readonly ShowableMedia[], node: ShowableNode): StageTrack[] {
  const tracks = new Map<string, StageTrack>();
  for (const item of media.flatMap((each) => each.tracks)) {
    const path = ownPath(item.url);
    if (path !== undefined) tracks.set(path, trackOf(item, path));
  }
  for (const each of node.media) {
    const path = filePath(each.file.uri);
    if (each.file.mimeType !== VTT || !isFor(each, MEDIA_USE_URI.transcript) || tracks.has(path)) continue;
    tracks.set(path, { path, kind: 'captions', language: node.language, label: each.label, isDefault: false });
  }
  return [...tracks.values()];
}

function trackOf({ kind, srclang, label, default: isDefault }: Item, path: string): StageTrack {
  return {
    path,
    kind: TRACK_KINDS.has(kind) ? (kind as StageTrack['kind']) : 'metadata',
    language: textOf(srclang),
    label: textOf(label),
    isDefault: isDefault === true,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isServed({ id, file }: ShowableMedia, unserved: ReadonlySet<number>): boolean {
  return !unserved.has(id) && isServedImage(file.mimeType);
}

function isPicture({ file }: ShowableMedia): boolean {
  return showingOf(file.mimeType) === 'image';
}

function pictureOf({ uri, width, height }: ShowableFile): StagePicture {
  return { path: filePath(uri), width: width ?? undefined, height: height ?? undefined };
}

/** Returns a file for a stage. */
export function fileOf({ uri, mimeType, bytes }: ShowableFile): StageFile {
  return { path: filePath(uri), mimeType, bytes };
}
