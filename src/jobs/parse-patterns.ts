import { nameOf } from '../base/check-shape.ts';
import { isMediaTypePattern } from '../base/media-type.ts';
import type { Reading } from '../model/reading.ts';

/** Reads MIME types, families and `*` in lower case, and reports what is none of these. */
export function parsePatterns(
  reading: Reading,
  values: readonly string[],
  pathOf: (index: number) => string[],
): string[] {
  return values.map((value, index) => {
    const pattern = value.toLowerCase();
    if (!isMediaTypePattern(pattern)) {
      const path = pathOf(index);
      const hint = pattern === '*/*' ? '; write "*" for any type' : '';
      reading.report(
        path,
        `${nameOf(path)} must be a MIME type, a family such as image/*, or "*", found "${value}"${hint}`,
      );
    }
    return pattern;
  });
}
