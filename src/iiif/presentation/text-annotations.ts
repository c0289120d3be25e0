import type { Box, RecognizedPage, TextLine } from './read-hocr.ts';
import { PRESENTATION_CONTEXT, type Resource } from './resource.ts';
import type { Size } from './sizes.ts';

/** Maximum size of a file of recognized text. A page of a newspaper has about 3 MB. */
export const MAX_HOCR_BYTES = 16 * 1024 * 1024;

/** Returns the lines of a page as annotations of its canvas. `id` is the address of the annotations. */
export function textAnnotations(id: string, canvas: { readonly id: string } & Size, page: RecognizedPage): Resource {
  const { box = { left: 0, top: 0, right: canvas.width, bottom: canvas.height } } = page;
  return {
    '@context': PRESENTATION_CONTEXT,
    id,
    type: 'AnnotationPage',
    items: page.lines.flatMap(({ text, language, ...line }, index) => {
      const target = targetOf(line, box, canvas);
      if (target === undefined) return [];
      return {
        id: `${id}/${index + 1}`,
        type: 'Annotation',
        motivation: 'supplementing',
        body: { type: 'TextualBody', value: text, format: 'text/plain', language: tagOf(language) },
        target: `${canvas.id}#xywh=${target}`,
      };
    }),
  };
}

/** Returns the rectangle of a line on the canvas, in whole pixels. Undefined for a line outside. */
function targetOf({ box }: Pick<TextLine, 'box'>, page: Box, { width, height }: Size): string | undefined {
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
function tagOf(language: string | undefined): string | undefined {
  try {
    return language && Intl.getCanonicalLocales(language)[0];
  } catch {
    // Programs also write names of their own, such as `eng_best`.
    return undefined;
  }
}
