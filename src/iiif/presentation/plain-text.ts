import { Parser } from 'htmlparser2';
import type { ComponentChild } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** Elements that begin a new line. */
const BLOCKS: ReadonlySet<string> = new Set(
  ['address', 'blockquote', 'br', 'dd', 'div', 'dl', 'dt', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'ol', 'p'].concat(
    ...['pre', 'section', 'table', 'tr', 'ul'],
  ),
);

/** Returns a value of a page as text, without markup. Blocks are separated by line breaks. */
export function plainText(shown: ComponentChild): string {
  if (typeof shown === 'number') return String(shown);
  if (typeof shown === 'string') return tidy(shown);
  // A fragment makes an element of any child.
  return textOfHtml(renderToString(shown as Parameters<typeof renderToString>[0]));
}

/** Returns the text of HTML. */
function textOfHtml(html: string): string {
  let text = '';
  const parser = new Parser({
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

function tidy(text: string): string {
  return text
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
    .trim();
}
