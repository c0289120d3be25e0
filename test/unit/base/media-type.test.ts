import { describe, expect, it } from 'bun:test';
import {
  extensionOf,
  familyOf,
  isMediaTypePattern,
  matchesMediaType,
  parseMediaType,
} from '../../../src/base/media-type.ts';

const LONGEST_NAME = 'a'.repeat(127);

describe('parseMediaType', () => {
  it.each([
    ['image/jpeg', 'image/jpeg'],
    ['IMAGE/Jpeg', 'image/jpeg'],
    ['  text/plain ; charset=utf-8', 'text/plain'],
    ['text/html;level="a;b/c"', 'text/html'],
    ['image/svg+xml', 'image/svg+xml'],
    ["application/this-type-doesn't-exist", "application/this-type-doesn't-exist"],
    ['x/a!#$%&-^_`|~.+', 'x/a!#$%&-^_`|~.+'],
    ['application/vnd.oasis.opendocument.text', 'application/vnd.oasis.opendocument.text'],
    [`${LONGEST_NAME}/${LONGEST_NAME}`, `${LONGEST_NAME}/${LONGEST_NAME}`],
  ])('reads %p as %s', (value, expected) => {
    expect(parseMediaType(value)).toBe(expected);
  });

  it.each([
    [''],
    [';charset=utf-8'],
    ['image'],
    ['image/'],
    ['/png'],
    ['image/png/x'],
    ['image /png'],
    ['image/*'],
    ['*/*'],
    ['*'],
    ['image/png, image/jpeg'],
    ['.image/png'],
    ['image/pn\ng'],
    ['image/pñg'],
    ['image/p@ng'],
    ['image/(png)'],
    ['image/"png"'],
    ['image/p{n}g'],
    ['image/p\\ng'],
    ['../../etc/passwd'],
    [`a${LONGEST_NAME}/b`],
  ])('rejects %p', (value) => {
    expect(parseMediaType(value)).toBeUndefined();
  });
});

describe('isMediaTypePattern', () => {
  it.each([['*'], ['image/*'], ['image/png'], ['application/vnd.api+json']])('accepts %s', (text) => {
    expect(isMediaTypePattern(text)).toBe(true);
  });

  it.each([['*/*'], ['*/png'], ['image'], ['image/**'], ['image/p*'], [''], ['image/png;q=1'], [' image/png']])(
    'refuses %p',
    (text) => {
      expect(isMediaTypePattern(text)).toBe(false);
    },
  );
});

describe('matchesMediaType', () => {
  it.each([
    ['image/png', 'image/png', true],
    ['image/*', 'image/png', true],
    ['*', 'image/png', true],
    ['image/png', 'image/jpeg', false],
    ['image/*', 'imagery/png', false],
    ['text/*', 'image/png', false],
    ['image/p', 'image/png', false],
  ])('%s covers %s: %p', (pattern, mediaType, expected) => {
    expect(matchesMediaType(pattern, mediaType)).toBe(expected);
  });

  it('returns the family of a type', () => {
    expect(familyOf('image/svg+xml')).toBe('image/*');
  });
});

describe('extensionOf', () => {
  it.each([
    ['image/jpeg', 'jpg'],
    ['image/tiff', 'tif'],
    ['image/jp2', 'jp2'],
    ['image/png', 'png'],
    ['text/plain', 'txt'],
    ['text/markdown', 'md'],
    ['audio/mpeg', 'mp3'],
    ['video/mp4', 'mp4'],
    ['application/pdf', 'pdf'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
    ['application/msword', 'doc'],
    ['application/vnd.ms-excel', 'xls'],
    ['application/vnd.ms-powerpoint', 'ppt'],
    ['application/vnd.apple.mpegurl', 'm3u8'],
    ['application/x-typst', 'typst'],
    ['text/x-rst', 'rst'],
    ['audio/aac', 'm4a'],
    ['audio/webm', 'webm'],
    ['video/ogg', 'ogg'],
    ['video/mp2t', 'ts'],
  ])('returns for %s files the extension .%s', (mediaType, extension) => {
    expect(extensionOf(mediaType)).toBe(extension);
  });

  it.each([['application/x-nobody-knows'], ['image/*'], ['application/constructor'], ['x/__proto__']])(
    'returns nothing for %p',
    (mediaType) => {
      expect(extensionOf(mediaType)).toBeUndefined();
    },
  );
});
