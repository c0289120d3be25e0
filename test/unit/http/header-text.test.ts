import { expect, it } from 'bun:test';
import { decodeHeaderText } from '../../../src/http/header-text.ts';

/** A text as HTTP hands it over when its sender wrote UTF-8. */
const overTheWire = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

it.each([['plain'], [''], ['Müller'], ['http://x/日本.tif'], ['a 🙂'], ['http://x/é?ü=1']])(
  'decodeHeaderText reads %p back',
  (text) => {
    expect(decodeHeaderText(overTheWire(text))).toBe(text);
  },
);

it.each([['M\u00fcller'], ['\u00e2\u0082'], ['\u00ff\u00fe'], ['\u00c0\u00ae\u00c0\u00ae/']])(
  'decodeHeaderText keeps %p, which is not UTF-8',
  (value) => {
    expect(decodeHeaderText(value)).toBe(value);
  },
);
