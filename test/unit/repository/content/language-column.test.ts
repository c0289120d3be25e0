import { describe, expect, it } from 'bun:test';
import { languageIn } from '../../../../src/repository/content/language-column.ts';

describe('languageIn', () => {
  it('returns the tag before the quotation mark', () => {
    expect(['de"}],"title":[{"v', 'zh-hant"}],"titl', ''].map(languageIn)).toEqual(['de', 'zh-hant', undefined]);
  });
});
