import { describe, expect, it } from 'bun:test';
import { problemsInArguments } from '../../../src/processor/config/variables.ts';
import { type SubstitutionValues, substitute } from '../../../src/processor/substitute.ts';
import { serviceError } from '../../support/service-error.ts';

const VALUES: SubstitutionValues = {
  args: ['-resize', '100x 100'],
  sourceType: 'image/tiff',
  destinationType: 'image/jpeg',
  sourceUri: 'http://repo.example/source?a=1&b=2',
  destinationUri: 'http://repo.example/destination',
  fileUploadUri: 'public://2018-08/2-Service File.jpg',
  target: 'http://repo.example/target',
  canonical: 'http://repo.example/node/1',
};
const ADDRESSES = ['%source-uri', '%destination-uri', '%file-upload-uri', '%target', '%canonical'];

describe('a variable', () => {
  it.each([
    ['%source-mime-ext', 'tif'],
    ['%source-mime-pandoc', 'tiff'],
    ['%destination-mime-ext', 'jpg'],
    ['%destination-mime-ext:-', 'jpg:-'],
    ['%destination-mime-pandoc', 'jpeg'],
    ['%source-uri', 'http://repo.example/source?a=1&b=2'],
    ['%destination-uri', 'http://repo.example/destination'],
    ['%file-upload-uri', 'public://2018-08/2-Service File.jpg'],
    ['%target', 'http://repo.example/target'],
    ['%canonical', 'http://repo.example/node/1'],
    ['out.%destination-mime-ext', 'out.jpg'],
    ['--to=%destination-mime-pandoc', '--to=jpeg'],
    ['%source-mime-ext:%destination-mime-ext', 'tif:jpg'],
    ['%target%target', 'http://repo.example/targethttp://repo.example/target'],
    ['plain', 'plain'],
    ['100%', '100%'],
    ['%d', '%d'],
    ['', ''],
  ])('is replaced: %p becomes %p', (arg, expected) => {
    expect(substitute(['before', arg, 'after'], VALUES)).toEqual(['before', expected, 'after']);
  });

  it.each([['$(id) `id` ; x'], ['%source-uri %args'], ["$& $1 $$ $` $'"], ['a b\tc'], ['']])(
    'with the value %p is neither split nor substituted again',
    (target) => {
      expect(substitute(['[%target]'], { ...VALUES, target })).toEqual([`[${target}]`]);
    },
  );

  const NOTHING = { args: [], sourceType: 'image/png', destinationType: undefined };

  it.each(ADDRESSES)('without a value is empty within a longer argument: %s', (name) => {
    expect(substitute(['a', `x=${name}`, 'b'], NOTHING)).toEqual(['a', 'x=', 'b']);
  });

  it.each([
    ['%source-uri', ['a', '', 'b']],
    ['%destination-uri', ['a', '', 'b']],
    ['%file-upload-uri', ['a', '', 'b']],
    ['%target', ['a', '', 'b']],
    ['%canonical', ['a', 'b']],
    ['%args', ['a', 'b']],
  ])('without a value as a whole argument leaves an empty argument or none: %s', (name, expected) => {
    expect(substitute(['a', name, 'b'], NOTHING)).toEqual(expected);
  });
});

describe('%args', () => {
  it.each([
    ['none', [], ['a', 'z']],
    ['one', ['x'], ['a', 'x', 'z']],
    ['many', ['-resize', '100 100', ''], ['a', '-resize', '100 100', '', 'z']],
    ['variables', ['%target', '%args', '%source-uri'], ['a', '%target', '%args', '%source-uri', 'z']],
  ])('expands to %s', (_, args, expected) => {
    expect(substitute(['a', '%args', 'z'], { ...VALUES, args })).toEqual(expected);
  });

  it('may occur several times, and is literal within an argument', () => {
    expect(substitute(['%args', '-', '%args'], { ...VALUES, args: ['x'] })).toEqual(['x', '-', 'x']);
    expect(substitute(['x%args'], VALUES)).toEqual(['x%args']);
  });

  it('replaces the list of the documented example in place', () => {
    expect(substitute(['-', '%args', '%destination-mime-ext:-'], { ...VALUES, args: ['-thumbnail', '50x50'] })).toEqual(
      [...['-', '-thumbnail', '50x50', 'jpg:-']],
    );
  });
});

describe('a MIME type', () => {
  const UNKNOWN = 'application/x-nobody-knows';
  it.each([
    ['%source-mime-ext', { sourceType: UNKNOWN }],
    ['%source-mime-pandoc', { sourceType: UNKNOWN }],
    ['%destination-mime-ext', { destinationType: UNKNOWN }],
    ['%destination-mime-pandoc', { destinationType: UNKNOWN }],
  ])('that is unknown is refused if %s needs it', (arg, types) => {
    expect(() => substitute([arg], { ...VALUES, ...types })).toThrow(
      serviceError('malformed', /^This command needs a name for the MIME type application\/x-nobody-knows,/),
    );
  });

  it.each([['%source-mime-ext'], ['%source-mime-pandoc']])(
    'that is missing without a source file is refused: %s',
    (arg) => {
      const values = { ...VALUES, sourceType: undefined };
      expect(() => substitute([arg], values)).toThrow(
        serviceError('malformed', /needs the MIME type of a source file/),
      );
      expect(substitute(['%target'], values)).toEqual([`${VALUES.target}`]);
    },
  );

  it('that is unknown is accepted if no variable needs it', () => {
    const values = { ...VALUES, sourceType: UNKNOWN, destinationType: UNKNOWN };
    expect(substitute(['-', '%args', '%target'], values)).toEqual(['-', '-resize', '100x 100', `${VALUES.target}`]);
  });

  it.each([
    ['%destination-mime-ext', 'txt'],
    ['%destination-mime-pandoc', 'plain'],
  ])('of the destination falls back to text/plain: %s is %s', (arg, expected) => {
    expect(substitute([arg], { ...VALUES, destinationType: undefined })).toEqual([expected]);
  });
});

describe('configured arguments', () => {
  it.each([
    [['-', '%args', 'out.%destination-mime-ext', '%source-uri']],
    [['%d', '%03d.jpg', '100%', '+%Y-%m-%d', '%[fx:w]']],
  ])('are valid: %j', (args) => {
    expect(problemsInArguments(args)).toEqual([]);
  });

  it.each([
    ['x%args', '"x%args": %args stands for any number of arguments and must be one of its own'],
    ['%args.jpg', '"%args.jpg": %args stands for any number of arguments and must be one of its own'],
    ['%argz', '"%argz": unknown variable %argz; did you mean %args?'],
    [
      '%destination-mime-ex',
      '"%destination-mime-ex": unknown variable %destination-mime-ex; did you mean %destination-mime-ext?',
    ],
    [
      'out.%source-mine-ext',
      '"out.%source-mine-ext": unknown variable %source-mine-ext; did you mean %source-mime-ext?',
    ],
    ['%cannonical', '"%cannonical": unknown variable %cannonical; did you mean %canonical?'],
  ])('are reported for a typo: %s', (arg, message) => {
    expect(problemsInArguments(['-', arg])).toEqual([{ index: 1, message }]);
  });
});
