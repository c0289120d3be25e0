import { describe, expect, it } from 'bun:test';
import { lastLine, Tail } from '../../../src/processor/stderr-tail.ts';

/** The text kept from these chunks. */
function keep(maxBytes: number, ...chunks: (string | number[])[]): string {
  const tail = new Tail(maxBytes);
  for (const chunk of chunks) tail.add(typeof chunk === 'string' ? Buffer.from(chunk) : Uint8Array.from(chunk));
  return tail.toString();
}

it.each([
  ['nothing', [], ''],
  ['an empty chunk', [''], ''],
  ['less than the limit', ['ab', 'cd'], 'abcd'],
  ['exactly the limit', ['abcd', 'efgh'], 'abcdefgh'],
  ['the end of one long chunk', ['0123456789'], '23456789'],
  ['the end of many chunks', ['0123', '45', '6789'], '23456789'],
  ['a last chunk of the limit alone', ['xxxx', 'abcdefgh'], 'abcdefgh'],
])('a tail keeps %s', (_, chunks, expected) => {
  expect(keep(8, ...chunks)).toBe(expected);
});

it.each([
  ['omits a character cut at the start', ['€€€'], '€€'],
  ['joins a character split between chunks', [[0xe2, 0x82], [0xac]], '€'],
  ['replaces a control character with a dot', ['\u001b[1mb\0c'], '·[1mb·c'],
  ['replaces several control characters with one dot', ['a\r\r\u0007b'], 'a·b'],
  ['keeps lines and tabs', ['a\n\tb\n\n'], 'a\n\tb'],
])('a tail %s', (_, chunks, expected) => {
  expect(keep(8, ...chunks)).toBe(expected);
});

it('a tail copies a chunk whose buffer is reused', () => {
  const tail = new Tail(8);
  const buffer = Buffer.from('first');
  tail.add(buffer);
  buffer.fill('x');
  expect(tail.toString()).toBe('first');
});

describe('the last line', () => {
  it.each([
    ['', undefined],
    [' \n\t\n', undefined],
    ['one', 'one'],
    ['one\n two \n\n', 'two'],
    ['x'.repeat(501), 'x'.repeat(500)],
    ['😀'.repeat(501), '😀'.repeat(500)],
  ])('of %j is %j', (text, line) => {
    expect(lastLine(text)).toBe(line);
  });
});
