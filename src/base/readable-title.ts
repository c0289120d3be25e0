const MAX_TITLE_CHARS = 255;

/**
 * Returns the name of a file as a title: `photo_0017.tif` is "Photo 0017". A hyphen between digits stays, as in a date. The upload
 * page calls it, too (`src/build/bundle-browser.ts`).
 */
export function readableTitle(filename: string): string {
  const dot = filename.lastIndexOf('.');
  const name = dot > 0 ? filename.slice(0, dot) : filename;
  const words = name
    .replaceAll(/[_\s]+/gu, ' ')
    .replaceAll(/(?<!\d)-+|-+(?!\d)/gu, ' ')
    .replaceAll(/ +/g, ' ')
    .trim();
  const title = words === '' ? name : words;
  const [first = '', ...rest] = [...title].slice(0, MAX_TITLE_CHARS);
  return first.toUpperCase().slice(0, 2) + rest.join('');
}
