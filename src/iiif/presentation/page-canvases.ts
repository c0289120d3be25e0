import type { ShowableFile } from '../../repository/content/lists/find-showable.ts';
import { pageService } from '../image/image-service.ts';
import { type CanvasSource, canvasOf, hasLines } from './canvas.ts';
import type { CanvasMedia } from './choose-canvas-media.ts';
import { inLanguage } from './language-map.ts';
import type { Resource } from './resource.ts';
import type { Size } from './sizes.ts';

const PDF = 'application/pdf';
/** The number of PDF whose pages a manifest shows. Those of further ones are in their own manifests. */
const MAX_DOCUMENTS = 10;

/** The sizes of the pages of PDF files in pixels, by the id of the file. */
export type PagesOf = ReadonlyMap<number, readonly Size[]>;

/** Returns the PDF files whose pages a manifest shows. The text of a page with lines is placed on a canvas of its own. */
export function documentsToUnfold(shown: readonly CanvasMedia[]): ShowableFile[] {
  return shown
    .filter(({ node, family, original }) => family === 'document' && original.file.mimeType === PDF && !hasLines(node))
    .slice(0, MAX_DOCUMENTS)
    .map(({ original }) => original.file);
}

/** Returns the canvas of a node, or those of the pages of its PDF. The first page has the address of the canvas of the node. */
export function canvasesOf(shown: CanvasMedia, source: CanvasSource, pages: PagesOf): Resource[] {
  const canvas = canvasOf(shown, source);
  const sizes = pages.get(shown.original.file.id);
  if (sizes === undefined || sizes.length === 0) return [canvas];
  return sizes.map((size, index) => {
    const first = index === 0 ? canvas : { type: canvas.type };
    const id = index === 0 ? String(canvas.id) : `${canvas.id}/${index + 1}`;
    const label = sizes.length === 1 ? canvas.label : inLanguage(source.labelLanguage, `Page ${index + 1}`);
    return { ...first, id, label, ...size, items: [pictureOf(shown, source, id, index + 1, size)] };
  });
}

/** Returns the whole page as a picture, without a service: each region that a viewer asks for would render the page again. */
function pictureOf({ original }: CanvasMedia, { baseUrl }: CanvasSource, canvas: string, page: number, size: Size) {
  const { uuid, file } = original;
  const service = pageService({ uuid, filemime: file.mimeType }, page, baseUrl);
  const body = service && { id: `${service.id}/full/max/0/default.jpg`, type: 'Image', format: 'image/jpeg', ...size };
  const painting = { id: `${canvas}/painting`, type: 'Annotation', motivation: 'painting', body, target: canvas };
  return { id: `${canvas}/page`, type: 'AnnotationPage', items: [painting] };
}
