import type { ComponentChild } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { textOfHtml, tidy } from '../../base/html-text.ts';

/** Returns a value of a page as text, without markup. Blocks are separated by line breaks. */
export function plainText(shown: ComponentChild): string {
  if (typeof shown === 'number') return String(shown);
  if (typeof shown === 'string') return tidy(shown);
  // A fragment makes an element of any child.
  return textOfHtml(renderToString(shown as Parameters<typeof renderToString>[0]));
}
