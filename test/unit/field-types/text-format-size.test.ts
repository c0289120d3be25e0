import { expect, it } from 'bun:test';
import { createTextProcessor } from '../../../src/field-types/text-format.ts';
import { sized } from '../../support/size.ts';

/** In characters. */
const LENGTH = sized(200_000, 1_000_000);

const common = { convertsLineBreaks: true, convertsUrls: true };
const process = createTextProcessor(
  new Map([
    ['plain_text', { name: 'plain_text', label: 'Plain', escapesHtml: true, allowedHtml: undefined, ...common }],
    [
      'restricted_html',
      {
        name: 'restricted_html',
        label: 'Restricted',
        escapesHtml: false,
        allowedHtml: { a: ['href', 'hreflang'], em: [], p: [] },
        ...common,
      },
    ],
  ]),
  'plain_text',
);

it.each([
  'a',
  '<',
  '&',
  '<b>',
  '<pre>',
  '</b>',
  '<a href="',
  '<!--',
  '\n\n',
  '\n \t',
  'http://',
  'www.',
  'a@',
  'a.',
  'a@b.',
  '<svg>',
  '<img style="',
  '<p a=1 a=1>',
])(
  'shows a long text of %j without losing itself in it',
  (part) => {
    const text = part.repeat(LENGTH / part.length);
    for (const name of ['restricted_html', 'plain_text']) expect(() => process(text, name)).not.toThrow();
  },
  20_000,
);
