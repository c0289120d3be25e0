import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { readableTitle } from '../../../src/base/readable-title.ts';

/** The module of the upload page, as `bun install` has prepared it. */
const { readableTitle: titleOnPage } = (await import(
  join(import.meta.dir, '../../../node_modules/.browser/readable-title.client.js')
)) as { readableTitle: typeof readableTitle };

describe('the title for a file', () => {
  it.each([
    ['photo_0017.tif', 'Photo 0017'],
    ['harbour-at-night.jpg', 'Harbour at night'],
    ['2019-05-03_fair.png', '2019-05-03 fair'],
    ['IMG__0001 (2).JPG', 'IMG 0001 (2)'],
    ['été.pdf', 'Été'],
    ['.hidden', '.hidden'],
    ['___.png', '___'],
    [`${'a'.repeat(300)}.png`, `A${'a'.repeat(254)}`],
    ['😀_smile.png', '😀 smile'],
  ])('is made of %s, on the page as on the server', (name, title) => {
    expect([readableTitle(name), titleOnPage(name)]).toEqual([title, title]);
  });
});
