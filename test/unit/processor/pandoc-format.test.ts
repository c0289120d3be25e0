import { expect, it } from 'bun:test';
import { pandocDestination, pandocSource } from '../../../src/processor/pandoc-format.ts';

it.each([
  ['image/jpeg', 'jpeg'],
  ['text/plain', 'plain'],
  ['text/html', 'html'],
  ['application/xhtml+xml', 'html'],
  ['text/markdown', 'markdown'],
  ['text/x-markdown', 'markdown'],
  ['text/csv', 'csv'],
  ['text/tab-separated-values', 'tsv'],
  ['application/pdf', 'pdf'],
  ['application/rtf', 'rtf'],
  ['application/json', 'json'],
  ['application/epub+zip', 'epub'],
  ['application/x-tex', 'latex'],
  ['application/vnd.oasis.opendocument.text', 'odt'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
])('pandoc writes %s as %s', (mediaType, format) => {
  expect(pandocDestination(mediaType)).toBe(format);
});

it.each([
  ['text/plain', 'markdown'],
  ['text/html', 'html'],
  ['application/vnd.oasis.opendocument.text', 'odt'],
])('pandoc reads %s as %s', (mediaType, format) => {
  expect(pandocSource(mediaType)).toBe(format);
});

it.each([['application/x-nobody-knows'], ['application/__proto__'], ['made/up']])(
  'has no format for %s',
  (mediaType) => {
    expect(pandocDestination(mediaType)).toBeUndefined();
    expect(pandocSource(mediaType)).toBeUndefined();
  },
);
