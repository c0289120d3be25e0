import { languageTag, placeOnCanvas } from './place-on-canvas.ts';
import type { RecognizedPage } from './read-hocr.ts';
import { PRESENTATION_CONTEXT, type Resource } from './resource.ts';
import type { Size } from './sizes.ts';

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
