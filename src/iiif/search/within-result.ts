import type { RecognizedPage } from '../../base/recognized-text/text-page.ts';
import type { Size } from '../presentation/sizes.ts';
import { languageTag, placeOnCanvas } from '../presentation/text-on-canvas.ts';
import type { Match } from './find-matches.ts';

/** A canvas with the places of the searched words. */
export interface CanvasMatches {
  readonly id: string;
  readonly node: { readonly id: number; readonly label: string; readonly language: string | undefined };
  readonly size: Size;
  readonly page: RecognizedPage;
  /** In the order of the text. At least one. */
  readonly matches: readonly Match[];
}

/** A page of the result of a search within an item. */
export interface WithinResult {
  /** In the order of the manifest. */
  readonly canvases: readonly CanvasMatches[];
  /** The number of this page, from 0. */
  readonly page: number;
  /** The number of pages. At least one. */
  readonly pages: number;
}

/** A part of a match as an annotation of a canvas. */
interface MatchAnnotation {
  readonly id: string;
  /** The words of the match in it. */
  readonly exact: string;
  readonly text: string;
  readonly language: string | undefined;
  readonly target: string;
  readonly isLine: boolean;
}

/** A match with the annotations that it consists of. */
export interface AnnotatedMatch extends Pick<Match, 'before' | 'exact' | 'after'> {
  readonly annotations: readonly MatchAnnotation[];
}

/** Returns the matches of a result with their annotations. Parts outside of their canvas are left out. */
export function annotatedMatches({ canvases }: WithinResult): AnnotatedMatch[] {
  return canvases.flatMap((canvas) =>
    canvas.matches.flatMap(({ parts, ...texts }) => {
      const annotations = parts.flatMap(({ key, exact, text, box, language, isLine }): MatchAnnotation[] => {
        const place = placeOnCanvas(box, canvas.page, canvas.size);
        const target = `${canvas.id}#xywh=${place}`;
        return place === undefined
          ? []
          : [{ id: `${canvas.id}/words/${key}`, exact, text, language: languageTag(language), target, isLine }];
      });
      return annotations.length === 0 ? [] : [{ ...texts, annotations }];
    }),
  );
}

/** Returns the annotations of matches, each once. */
export function distinctAnnotations(matches: readonly AnnotatedMatch[]): MatchAnnotation[] {
  return [...new Map(matches.flatMap(({ annotations }) => annotations).map((each) => [each.id, each])).values()];
}
