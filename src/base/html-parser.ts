import type { Handler, Parser, ParserOptions } from 'htmlparser2';

/**
 * Creates a parser of HTML, or of XML with `xmlMode`, which may be malformed, that calls `handler`. The library is loaded at the
 * first call: a repository without HTML does not hold it in memory.
 */
export function createHtmlParser(handler: Partial<Handler>, options?: ParserOptions): Parser {
  const library: typeof import('htmlparser2') = require('htmlparser2');
  return new library.Parser(handler, options);
}

/** Elements of HTML that do not end a word. */
export const INLINE_ELEMENTS: ReadonlySet<string> = new Set(
  ['a', 'abbr', 'b', 'bdi', 'bdo', 'big', 'cite', 'code', 'del', 'dfn', 'em', 'font', 'i', 'ins', 'kbd', 'mark'].concat(
    ...['q', 's', 'samp', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'tt', 'u', 'var', 'wbr'],
  ),
);

/** Elements that begin a new line. */
const BLOCKS: ReadonlySet<string> = new Set(
  ['address', 'blockquote', 'br', 'dd', 'div', 'dl', 'dt', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'ol', 'p'].concat(
    ...['pre', 'section', 'table', 'tr', 'ul'],
  ),
);

/** Returns the text of HTML, which may be malformed. Blocks are separated by line breaks. */
export function textOfHtml(html: string): string {
  let text = '';
  const parser = createHtmlParser({
    ontext(data) {
      text += data.replace(/\s+/g, ' ');
    },
    onopentagname(name) {
      if (BLOCKS.has(name)) text += '\n';
    },
    onclosetag(name) {
      if (BLOCKS.has(name)) text += '\n';
    },
  });
  parser.end(html);
  return tidy(text);
}

/** Joins white space, and removes it around line breaks. */
export function tidy(text: string): string {
  return text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
    .trim();
}
