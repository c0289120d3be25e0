import type { Handler, Parser } from 'htmlparser2';

/**
 * Creates a parser of HTML, which may be malformed, that calls `handler`. The library is loaded at the first call: a repository
 * without HTML does not hold it in memory.
 */
export function createHtmlParser(handler: Partial<Handler>): Parser {
  const library: typeof import('htmlparser2') = require('htmlparser2');
  return new library.Parser(handler);
}
