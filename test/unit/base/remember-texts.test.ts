import { describe, expect, it } from 'bun:test';
import { rememberTexts } from '../../../src/base/remember-texts.ts';

describe('rememberTexts', () => {
  it('computes a result once per text, undefined ones each time', () => {
    const asked: string[] = [];
    const lengthOf = rememberTexts((text) => {
      asked.push(text);
      return text === '' ? undefined : text.length;
    });
    expect(['en', 'de', 'en', '', ''].map(lengthOf)).toEqual([2, 2, 2, undefined, undefined]);
    expect(asked).toEqual(['en', 'de', '', '']);
  });

  it('forgets results when it has very many, and long texts at once', () => {
    let computed = 0;
    const same = rememberTexts((text) => {
      computed += 1;
      return text;
    });
    same('first');
    for (let number = 0; number < 1_000; number++) same(String(number));
    same('first');
    expect(computed).toBe(1_002);
    const long = 'x'.repeat(65);
    same(long);
    same(long);
    expect(computed).toBe(1_004);
  });
});
