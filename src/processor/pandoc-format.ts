import { extensionOf } from '../base/media-type.ts';

/** pandoc's names of the formats that differ from the subtype (pandoc manual, "General options"). */
const FORMAT: Record<string, string> = {
  'application/docbook+xml': 'docbook',
  'application/epub+zip': 'epub',
  'application/jats+xml': 'jats',
  'application/msword': 'doc',
  'application/rtf': 'rtf',
  'application/tei+xml': 'tei',
  'application/vnd.citationstyles.csl+json': 'csljson',
  'application/vnd.endnote+xml': 'endnotexml',
  'application/vnd.haskell.native': 'native',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/x-fictionbook+xml': 'fb2',
  'application/x-ipynb+json': 'ipynb',
  'application/x-latex': 'latex',
  'application/x-opml+xml': 'opml',
  'application/x-research-info-systems': 'ris',
  'application/x-tex': 'latex',
  'application/x-troff-man': 'man',
  'application/x-typst': 'typst',
  'application/xhtml+xml': 'html',
  'application/xml': 'bits',
  'application/xml-dokuwiki': 'dokuwiki',
  'text/html': 'html',
  'text/markdown': 'markdown',
  'text/markdown+mmd': 'markdown_mmd',
  'text/markdown+phpextra': 'markdown_phpextra',
  'text/markdown+strict': 'markdown_strict',
  'text/tab-separated-values': 'tsv',
  'text/troff': 'man',
  'text/x-biblatex': 'biblatex',
  'text/x-bibtex': 'bibtex',
  'text/x-commonmark': 'commonmark',
  'text/x-commonmark+extensions': 'commonmark_x',
  'text/x-creole': 'creole',
  'text/x-djot': 'djot',
  'text/x-gfm': 'gfm',
  'text/x-haddock': 'haddock',
  'text/x-jira': 'jira',
  'text/x-markdown': 'markdown',
  'text/x-mediawiki': 'mediawiki',
  'text/x-muse': 'muse',
  'text/x-opml': 'opml',
  'text/x-org': 'org',
  'text/x-rst': 'rst',
  'text/x-tex': 'latex',
  'text/x-textile': 'textile',
  'text/x-tikiwiki': 'tikiwiki',
  'text/x-twiki': 'twiki',
  'text/x-txt2tags': 't2t',
  'text/x-vimwiki': 'vimwiki',
};

/**
 * Returns pandoc's name of a type as an output format: from the table, else the subtype if it is a plain word
 * (`jpeg`), else the usual extension. Undefined for an unknown type.
 */
export function pandocDestination(mediaType: string): string | undefined {
  const named = FORMAT[mediaType];
  if (named !== undefined) return named;
  const extension = extensionOf(mediaType);
  const subtype = mediaType.slice(mediaType.indexOf('/') + 1).replace(/^x-/, '');
  return extension && (/^[a-z0-9]+$/.test(subtype) ? subtype : extension);
}

/** Returns pandoc's name of a type as an input format. pandoc cannot read `plain` text: Markdown covers it. */
export function pandocSource(mediaType: string): string | undefined {
  return mediaType === 'text/plain' ? 'markdown' : pandocDestination(mediaType);
}
