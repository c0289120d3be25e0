import { showingOf } from '../../field-types/display/browser-media.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import type { ShowableMedia, ShowableNode, ShowableTree } from '../../repository/content/lists/find-showable.ts';
import { isServedImage } from '../image/image-service.ts';
import { familyOf, isFor, isItself, type MediaFamily } from './media-uses.ts';

/** The files of one canvas. */
export interface CanvasMedia {
  readonly node: ShowableNode;
  readonly family: MediaFamily;
  /** The best file, which determines the size and the duration of the canvas. */
  readonly original: ShowableMedia;
  /** The file that a viewer loads. Undefined if there is nothing that a viewer could load. */
  readonly painted: ShowableMedia | undefined;
  /** A smaller picture. */
  readonly thumbnail: ShowableMedia | undefined;
}

const PDF = 'application/pdf';

/** Chooses the canvases of a manifest: the node itself, or its members in their order, or both. */
export function chooseCanvasMedia({ node, members }: ShowableTree, isPaged: boolean): CanvasMedia[] {
  const ofMembers = members.flatMap((member) => canvasMediaOf(member) ?? []);
  const own = canvasMediaOf(node);
  if (own === undefined || ofMembers.length === 0) return ofMembers.length > 0 ? ofMembers : own ? [own] : [];
  // The document of a book has the same pages.
  return isPaged || own.family === 'document' ? ofMembers : [own, ...ofMembers];
}

/** Returns the files of a node's own canvas. Undefined without a picture, audio, video or document with pages. */
export function canvasMediaOf(node: ShowableNode): CanvasMedia | undefined {
  const itself = node.media.filter(isItself);
  const original =
    itself.find((media) => isFor(media, MEDIA_USE_URI.original)) ??
    itself.find((media) => isFor(media, MEDIA_USE_URI.service)) ??
    itself[0];
  if (original === undefined) return undefined;
  const thumbnail = node.media.find((media) => isFor(media, MEDIA_USE_URI.thumbnail) && isPicture(media));
  // An original of a type without a viewer, such as a project of an editor, may have a service file with one.
  const family = familyOf(original) === 'document' ? (serviceFamily(itself) ?? 'document') : familyOf(original);
  const candidates = itself.filter((media) => familyOf(media) === family);
  const painted =
    candidates.find((media) => isFor(media, MEDIA_USE_URI.service) && isPlayable(media)) ?? candidates.find(isPlayable);
  const best = candidates.includes(original) ? original : (painted ?? original);
  if (family === 'document' && original.file.mimeType !== PDF && thumbnail === undefined) return undefined;
  if (family === 'document') return { node, family, original: best, painted: thumbnail, thumbnail };
  if (family === 'image' && painted === undefined)
    return thumbnail !== undefined || isServedImage(best.file.mimeType)
      ? { node, family, original: best, painted: thumbnail, thumbnail }
      : undefined;
  return { node, family, original: best, painted: painted ?? best, thumbnail };
}

/** Returns the family of the first file that is not a document. None for a PDF, which has pages of its own. */
function serviceFamily(itself: readonly ShowableMedia[]): MediaFamily | undefined {
  if (itself.some((media) => isFor(media, MEDIA_USE_URI.original) && media.file.mimeType === PDF)) return undefined;
  return itself.map(familyOf).find((family) => family !== 'document');
}

function isPlayable(media: ShowableMedia): boolean {
  return showingOf(media.file.mimeType) === familyOf(media);
}

function isPicture(media: ShowableMedia): boolean {
  return showingOf(media.file.mimeType) === 'image';
}
