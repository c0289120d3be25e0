import { describe, expect, it } from 'bun:test';
import { CONVERT_SUBRIP, captionsProblem } from '../../../src/base/captions.ts';

const CUE = '00:00:01.000 --> 00:00:02.000\nA door opens.\n';
const SRT = '1\r\n00:00:01,000 --> 00:00:02,000\r\nA door opens.\r\n';
const NO_WEBVTT = 'The captions are not WebVTT, which begins with the word WEBVTT.';
const UTF_16 = 'The captions are in UTF-16. WebVTT must be in UTF-8: save them again with that encoding.';

describe('captions', () => {
  it.each([
    ['WEBVTT'],
    ['WEBVTT\n'],
    [`WEBVTT\n\n${CUE}`],
    [`WEBVTT\r\n\r\n${CUE.replaceAll('\n', '\r\n')}`],
    [`WEBVTT\r\r${CUE.replaceAll('\n', '\r')}`],
    [`\uFEFFWEBVTT - A film\n\n${CUE}`],
    ['WEBVTT\tKind: captions\n'],
  ])('are accepted as %j', (text) => {
    expect(captionsProblem(Buffer.from(text))).toBeUndefined();
  });

  it.each([
    ['', NO_WEBVTT],
    [CUE, NO_WEBVTT],
    ['WEBVTTX\n', NO_WEBVTT],
    [' WEBVTT\n', NO_WEBVTT],
    ['webvtt\n', NO_WEBVTT],
    ['<html>', NO_WEBVTT],
    [SRT, CONVERT_SUBRIP],
    [`\uFEFF${SRT}`, CONVERT_SUBRIP],
    [`\n\n${SRT.replaceAll('\r', '')}`, CONVERT_SUBRIP],
  ])('are refused as %j', (text, problem) => {
    expect(captionsProblem(Buffer.from(text))).toBe(problem);
  });

  it('are refused in UTF-16 of either byte order, with and without a mark', () => {
    const little = Buffer.from('\uFEFFWEBVTT\n', 'utf16le');
    const big = Buffer.from(little).swap16();
    for (const bytes of [little, big, little.subarray(2), big.subarray(2)]) expect(captionsProblem(bytes)).toBe(UTF_16);
  });
});
