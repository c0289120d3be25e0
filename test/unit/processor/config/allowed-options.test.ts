import { describe, expect, it } from 'bun:test';
import { parseAllowedOptions, requireAllowedOptions } from '../../../../src/processor/config/allowed-options.ts';
import { serviceError } from '../../../support/service-error.ts';

const parse = (options: Record<string, string | string[]>) =>
  parseAllowedOptions(options, (option) => {
    throw new Error(`${option} was reported`);
  });
const ALLOWED = parse({ '-strip': 'none', '-size': 'size', '-c': ['a.b', '-1'], '-vf': '/scale=\\d+|none/' });
const check = (...words: string[]) => requireAllowedOptions(words, ALLOWED);

describe('allowed options', () => {
  it.each([
    [],
    ['-strip'],
    ['-size', '10x10', '-strip', '-c', '-1'],
    ['-c', 'a.b'],
    ['-vf', 'scale=10', '-vf', 'none'],
  ])('pass in any order and number: %p', (...words) => {
    expect(() => check(...words)).not.toThrow();
  });

  it.each([
    [['-write', '/tmp/x'], '"-write", which is no option of this command: it takes -strip, -size, -c, -vf.'],
    [['@/etc/passwd'], '"@/etc/passwd", which is no option'],
    [['-strip', 'file'], '"file", which is no option'],
    [['-size'], 'nothing after -size: it must be a size, such as 220x220.'],
    [['-size', '-strip'], '"-strip" after -size: it must be a size'],
    [['-c', 'aXb'], '"aXb" after -c: it must be a.b or -1.'],
    [['-vf', 'scale=1,movie=x'], '"scale=1,movie=x" after -vf: it must be of the form scale=\\d+|none.'],
    [['-vf', 'xnone'], '"xnone" after -vf'],
    [[`-${'x'.repeat(200)}`], `"-${'x'.repeat(79)}…", which is no option`],
  ])('reject other words, and report the first invalid one: %p', (words, message) => {
    const whole = new RegExp(`^The X-Repo-Args header holds ${RegExp.escape(message)}`);
    expect(() => check(...words)).toThrow(serviceError('malformed', whole));
  });

  it('may be empty', () => {
    const takesNone = /which is no option of this command: it takes none\.$/;
    expect(() => requireAllowedOptions(['-x'], parse({}))).toThrow(serviceError('malformed', takesNone));
    expect(() => requireAllowedOptions([], parse({}))).not.toThrow();
  });
});

describe('the value form', () => {
  const FORMS: Record<string, { takes: string[]; refuses: string[] }> = {
    integer: { takes: ['0', '-2', '100'], refuses: ['', '1.5', '1e9', 'x', '1\n'] },
    number: { takes: ['5', '0.5', '-1.25'], refuses: ['.5', '5.', '0x5', ''] },
    size: {
      takes: ['220x220', '50%', 'x100', '100x', '100x100>', '800x600!', '0x0.75', '25x75%'],
      refuses: ['', 'x', '@file', '100x100 msl:x', '%[fx:1]', '10x10/x', '>'],
    },
    time: { takes: ['00:00:01.000', '3', '1:30', '0.5'], refuses: ['', '1:2:3:4', 'file', ':1'] },
    rate: { takes: ['128k', '2.5M', '44100'], refuses: ['128kb', 'k', ''] },
    word: { takes: ['sRGB', 'white', 'libx264'], refuses: ['@x', 'a/b', 'msl:x', 'a.b', '-x', ''] },
    language: {
      takes: ['eng', 'chi_sim', 'deu+eng', 'script/Latin'],
      refuses: ['../x', 'a/b', '/etc', 'a.b', '+', ''],
    },
  };
  it.each(Object.entries(FORMS))('%s accepts only its kind of values', (form, { takes, refuses }) => {
    const allowed = parse({ '-x': form });
    for (const value of takes) expect(() => requireAllowedOptions(['-x', value], allowed)).not.toThrow();
    for (const value of refuses) expect(() => requireAllowedOptions(['-x', value], allowed)).toThrow(/./);
  });
});
