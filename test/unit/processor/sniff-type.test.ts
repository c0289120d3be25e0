import { expect, it } from 'bun:test';
import { sniffType } from '../../../src/processor/stream-output.ts';

const TEXT = 'text/plain; charset=utf-8';
const BINARY = 'application/octet-stream';

it.each([
  ['nothing', '', TEXT],
  ['ASCII', 'a line\r\n\tanother', TEXT],
  ['UTF-8', 'Grüße, 日本語 🙂', TEXT],
  ['markup', '<html><script>alert(1)</script></html>', TEXT],
  ['a NUL in text', 'a\0b', BINARY],
  ['Latin-1', Buffer.from('Grüße', 'latin1'), BINARY],
  ['UTF-16 with its mark', Buffer.from('\ufeffab', 'utf16le'), BINARY],
  ['a PNG', Buffer.from('89504e470d0a1a0a0000000d', 'hex'), BINARY],
  ['a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), BINARY],
  ['a PDF', Buffer.concat([Buffer.from('%PDF-1.4\n%'), Buffer.from('e2e3cfd3', 'hex')]), BINARY],
  ['an overlong form', Buffer.from('c0af', 'hex'), BINARY],
  ['a surrogate', Buffer.from('eda080', 'hex'), BINARY],
])('sniffType detects %s', (_, start, expected) => {
  expect(sniffType([Buffer.from(start)])).toBe(expected);
});

it('sniffType ignores a character cut off at the end of the sample', () => {
  expect(sniffType([Buffer.from(`${'x'.repeat(4095)}€`)])).toBe(TEXT);
});

it.each([
  ['a character cut by the end of a chunk', [[0xe2, 0x82], [0xac]], TEXT],
  ['a NUL in a later chunk', [[0x61], [0], [0x62]], BINARY],
  ['no chunk at all', [], TEXT],
])('sniffType reads across chunks: %s', (_, chunks, expected) => {
  expect(sniffType(chunks.map((chunk) => Uint8Array.from(chunk)))).toBe(expected);
});

it('sniffType reads only the first 4096 bytes', () => {
  expect(sniffType([Buffer.from(`${'x'.repeat(4096)}\0`)])).toBe(TEXT);
  expect(sniffType([Buffer.from(`${'x'.repeat(4095)}\0`)])).toBe(BINARY);
});
