import { extensionOf } from '../base/media-type.ts';

/** What pandoc calls the types whose subtype is not already its name (pandoc manual, "General options"). */
const FORMAT: Record<string, string> = {
  'application/docbook+xml': 'docbook',
  'application/epub+zip': 'epub',
  'application/jats+xml': 'jats',
  'application/rtf': 'rtf',
  'application/tei+xml': 'tei',
  'application/vnd.citationstyles.csl+json': 'csljson',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/x-fictionbook+xml': 'fb2',
  'application/x-ipynb+json': 'ipynb',
  'application/x-latex': 'latex',
  'application/x-research-info-systems': 'ris',
  'application/x-tex': 'latex',
  'application/xhtml+xml': 'html',
  'text/html': 'html',
  'text/markdown': 'markdown',
  'text/tab-separated-values': 'tsv',
  'text/troff': 'man',
  'text/x-bibtex': 'bibtex',
  'text/x-gfm': 'gfm',
  'text/x-markdown': 'markdown',
  'text/x-mediawiki': 'mediawiki',
  'text/x-opml': 'opml',
  'text/x-org': 'org',
  'text/x-rst': 'rst',
  'text/x-tex': 'latex',
  'text/x-textile': 'textile',
};

/** The name of a type as pandoc's output format: the table, else the subtype of a type that is known at all. */
export function pandocDestination(mediaType: string): string | undefined {
  const named = FORMAT[mediaType];
  if (named !== undefined) return named;
  return extensionOf(mediaType) && mediaType.slice(mediaType.indexOf('/') + 1).replace(/^x-/, '');
}

/** The same as an input format. pandoc writes `plain` text but reads none: Markdown covers it. */
export function pandocSource(mediaType: string): string | undefined {
  return mediaType === 'text/plain' ? 'markdown' : pandocDestination(mediaType);
}
