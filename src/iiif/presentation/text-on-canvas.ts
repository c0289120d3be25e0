import type { Box, RecognizedPage } from '../../base/recognized-text/text-page.ts';
import { PRESENTATION_CONTEXT, type Resource } from './resource.ts';
import type { Size } from './sizes.ts';

/**
 * Returns the rectangle of recognized text on its canvas, in whole pixels as `x,y,w,h`. Undefined for text outside. A page
 * without a rectangle of its own is as large as the canvas.
 */
export function placeOnCanvas(box: Box, recognized: RecognizedPage, { width, height }: Size): string | undefined {
  const { box: page = { left: 0, top: 0, right: width, bottom: height } } = recognized;
  const across = width / (page.right - page.left);
  const down = height / (page.bottom - page.top);
  const within = (value: number, end: number) => Math.max(0, Math.min(end, Math.round(value)));
  const left = within((box.left - page.left) * across, width);
  const top = within((box.top - page.top) * down, height);
  if (left >= width || top >= height || box.right <= page.left || box.bottom <= page.top) return undefined;
  const right = Math.max(left + 1, within((box.right - page.left) * across, width));
  const bottom = Math.max(top + 1, within((box.bottom - page.top) * down, height));
  return [left, top, right - left, bottom - top].join();
}

/** Returns a language tag for a code such as `eng`. Undefined for a name that is none. */
export function languageTag(language: string | undefined): string | undefined {
  try {
    return language && Intl.getCanonicalLocales(language)[0];
  } catch {
    // Programs also write names of their own, such as `eng_best`.
    return undefined;
  }
}

/** Returns the lines of a page as annotations of its canvas. `id` is the address of the annotations. */
export function textAnnotations(id: string, canvas: { readonly id: string } & Size, page: RecognizedPage): Resource {
  return {
    '@context': PRESENTATION_CONTEXT,
    id,
    type: 'AnnotationPage',
    items: page.lines.flatMap(({ text, language, box }, index) => {
      const target = placeOnCanvas(box, page, canvas);
      if (target === undefined) return [];
      return {
        id: `${id}/${index + 1}`,
        type: 'Annotation',
        motivation: 'supplementing',
        body: { type: 'TextualBody', value: text, format: 'text/plain', language: languageTag(language) },
        target: `${canvas.id}#xywh=${target}`,
      };
    }),
  };
}
