import { describe, expect, it } from 'bun:test';
import { extensionOf, matchesMediaType } from '../../../src/base/media-type.ts';
import { usualType } from '../../../src/base/usual-type.ts';

describe('the usual name of a type', () => {
  it.each([
    ['image/jpg', 'image/jpeg', 'jpg'],
    ['image/pjpeg', 'image/jpeg', 'jpg'],
    ['image/tif', 'image/tiff', 'tif'],
    ['application/x-pdf', 'application/pdf', 'pdf'],
    ['audio/mp3', 'audio/mpeg', 'mp3'],
    ['audio/x-flac', 'audio/flac', 'flac'],
  ])('of %s is %s', (sent, usual, extension) => {
    expect(usualType(sent)).toBe(usual);
    expect(extensionOf(sent)).toBe(extension);
    expect(matchesMediaType(usual, sent)).toBe(true);
    expect(matchesMediaType(sent, sent)).toBe(true);
  });

  it('of a type without another name is itself', () => {
    expect(usualType('image/png')).toBe('image/png');
    expect(matchesMediaType('image/jpeg', 'image/png')).toBe(false);
  });

  it('is never an alias of another type', () => {
    for (const sent of ['image/jpg', 'text/pdf', 'image/psd']) expect(usualType(usualType(sent))).toBe(usualType(sent));
  });
});
