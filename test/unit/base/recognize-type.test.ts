import { describe, expect, it } from 'bun:test';
import { isUnnamedType, recognizeType } from '../../../src/base/recognize-type.ts';
import { pngHead } from '../../support/binaries.ts';
import { fixture } from '../../support/iiif-site.ts';
import { ycbcrTiff } from '../../support/uncommon-tiff.ts';

describe('the type of bytes', () => {
  it.each([
    ['a PNG', async () => pngHead(1, 1), 'image/png'],
    ['a JPEG', () => fixture('images/red.jpg'), 'image/jpeg'],
    ['a TIFF', async () => ycbcrTiff(1), 'image/tiff'],
    ['an MP3', () => fixture('av/two-seconds.mp3'), 'audio/mpeg'],
    ['an MP4', () => fixture('av/two-seconds.mp4'), 'video/mp4'],
    ['a PDF', async () => Buffer.from('%PDF-1.7\n'), 'application/pdf'],
    ['a WAV', async () => Buffer.from('RIFF\x24\0\0\0WAVEfmt '), 'audio/wav'],
    ['plain text', async () => Buffer.from('Some words.'), undefined],
    ['HTML', async () => Buffer.from('<!doctype html><html></html>'), undefined],
    ['an empty file', async () => new Uint8Array(0), undefined],
    ['two letters', async () => Buffer.from('PK'), undefined],
  ])('of %s is recognized', async (_, read, type) => {
    expect(await recognizeType(await read())).toBe(type);
  });

  it('is unnamed for the types of programs that do not know it', () => {
    expect(['application/octet-stream', 'binary/octet-stream', 'application/x-download'].every(isUnnamedType)).toBe(
      true,
    );
    expect(['application/zip', 'image/png', 'text/plain'].some(isUnnamedType)).toBe(false);
  });
});
