import { describe, expect, it } from 'bun:test';
import { browserWords } from '../../../../src/pages/account/browser-words.ts';

describe('the browser of a session', () => {
  it.each([
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Windows'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    ['curl/8.14.1', 'curl/8.14.1'],
    ['', 'Unknown browser'],
    [null, 'Unknown browser'],
    [`<b>${'x'.repeat(500)}`, `<b>${'x'.repeat(77)}`],
  ])('is recognised in %p', (userAgent, words) => {
    expect(browserWords(userAgent)).toBe(words);
  });
});
