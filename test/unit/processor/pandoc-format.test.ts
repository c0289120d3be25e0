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
  ['application/msword', 'doc'],
  ['application/vnd.ms-excel', 'xls'],
  ['image/svg+xml', 'svg'],
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

/** The types that the original service's pandoc example lists, with the formats of the pandoc manual. */
it.each([
  ['application/docbook+xml', 'docbook'],
  ['application/epub+zip', 'epub'],
  ['application/jats+xml', 'jats'],
  ['application/json', 'json'],
  ['application/rtf', 'rtf'],
  ['application/vnd.citationstyles.csl+json', 'csljson'],
  ['application/vnd.endnote+xml', 'endnotexml'],
  ['application/vnd.haskell.native', 'native'],
  ['application/x-fictionbook+xml', 'fb2'],
  ['application/x-ipynb+json', 'ipynb'],
  ['application/x-latex', 'latex'],
  ['application/x-opml+xml', 'opml'],
  ['application/x-research-info-systems', 'ris'],
  ['application/x-troff-man', 'man'],
  ['application/x-typst', 'typst'],
  ['application/xml', 'bits'],
  ['application/xml-dokuwiki', 'dokuwiki'],
  ['text/csv', 'csv'],
  ['text/markdown+mmd', 'markdown_mmd'],
  ['text/markdown+phpextra', 'markdown_phpextra'],
  ['text/markdown+strict', 'markdown_strict'],
  ['text/x-biblatex', 'biblatex'],
  ['text/x-bibtex', 'bibtex'],
  ['text/x-commonmark', 'commonmark'],
  ['text/x-commonmark+extensions', 'commonmark_x'],
  ['text/x-creole', 'creole'],
  ['text/x-djot', 'djot'],
  ['text/x-gfm', 'gfm'],
  ['text/x-haddock', 'haddock'],
  ['text/x-jira', 'jira'],
  ['text/x-mediawiki', 'mediawiki'],
  ['text/x-muse', 'muse'],
  ['text/x-org', 'org'],
  ['text/x-rst', 'rst'],
  ['text/x-textile', 'textile'],
  ['text/x-tikiwiki', 'tikiwiki'],
  ['text/x-twiki', 'twiki'],
  ['text/x-txt2tags', 't2t'],
  ['text/x-vimwiki', 'vimwiki'],
])('pandoc reads and writes %s as %s', (mediaType, format) => {
  expect(pandocSource(mediaType)).toBe(format);
  expect(pandocDestination(mediaType)).toBe(format);
});

it.each([['application/x-nobody-knows'], ['application/__proto__'], ['made/up']])(
  'pandoc has no format for %s',
  (mediaType) => {
    expect(pandocDestination(mediaType)).toBeUndefined();
    expect(pandocSource(mediaType)).toBeUndefined();
  },
);
