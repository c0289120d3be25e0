import type { Box, RecognizedPage } from './read-hocr.ts';
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
