import { describe, expect, it } from 'bun:test';
import { permanentReason } from '../../../src/processor/failure-reasons.ts';

describe('the reason of a failure', () => {
  it.each([
    ['Command Line Error: Incorrect password\n', 'The PDF needs a password.'],
    ["Syntax Error: Couldn't find trailer dictionary\nSyntax Error: Couldn't read xref table\n", 'The PDF is damaged.'],
    ["Syntax Error (12): Couldn't read xref table\n", 'The PDF is damaged.'],
    ['LibreOffice cannot read the document\n', 'The document is damaged, or needs a password.'],
    [
      "convert: Not a JPEG file: starts with 0x89 0x50 `image'\nconvert: no images defined `jpg:-'\n",
      'The image is damaged, or has another type than its own.',
    ],
    [
      'cache:pipe:0: Invalid data found when processing input\n',
      'The recording is damaged, or has another type than its own.',
    ],
    ['Output file #0 does not contain any stream\n', 'The recording has nothing to convert.'],
  ])('%p is told to readers', (stderr, sentence) => {
    expect(permanentReason(stderr)).toBe(sentence);
  });

  it.each([
    [''],
    ['Killed\n'],
    ["convert: cache resources exhausted `image'\nconvert: no images defined `jpg:-'\n"],
    ["convert: width or height exceeds limit `image'\nconvert: no images defined `jpg:-'\n"],
    ['convert: No space left on device\nconvert: no images defined\n'],
  ])('%p is unknown, since another attempt may succeed', (stderr) => {
    expect(permanentReason(stderr)).toBeUndefined();
  });
});
