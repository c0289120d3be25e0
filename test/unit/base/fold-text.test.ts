import { describe, expect, it } from 'bun:test';
import { foldText } from '../../../src/base/fold-text.ts';

const wordsOf = (text: string) => foldText(text).trim().split(/\s+/);

describe('foldText', () => {
  it('removes case and accents, composed or not', () => {
    expect(foldText('CAFÉ Cafe\u0301 naïve Ñandú')).toBe('cafe cafe naive nandu');
    expect(foldText('İstanbul')).toBe('istanbul');
    expect(foldText('ΟΔΥΣΣΕΥΣ')).toBe(foldText('Ὀδυσσεύς'));
  });

  it('replaces letters that have no accent in Unicode', () => {
    expect(foldText('Łódź Ørsted Đà Straße Æon Œuvre Þór')).toBe('lodz orsted da strasse aeon oeuvre thor');
  });

  it('replaces compatibility forms and drops soft hyphens and joiners', () => {
    expect(foldText('ﬁne ①２ co\u00ADop\u200B')).toBe('fine 12 coop');
  });

  it('drops vowels of Arabic and Hebrew, and unifies the spellings of Arabic letters', () => {
    expect(foldText('كِتَاب')).toBe('كتاب');
    expect(foldText('الأُمَّة')).toBe(foldText('الامه'));
    expect(foldText('שָׁלוֹם')).toBe('שלום');
  });

  it('separates words of scripts without spaces', () => {
    expect(wordsOf('東京都の図書館で')).toEqual(['東京', '都', 'の', '図書館', 'で']);
    expect(wordsOf('กินข้าวที่บ้าน')).toEqual(['กิน', 'ข้าว', 'ที่', 'บ้าน']);
    expect(wordsOf('한국어 도서관')).toEqual(['한국어', '도서관']);
    expect(wordsOf('Tokyo東京guide')).toEqual(['tokyo', '東京', 'guide']);
  });

  it('keeps voiced kana and Hangul composed', () => {
    expect(foldText('がんばる')).toContain('が');
    expect(foldText('ﾃｽﾄ').trim()).toBe('テスト');
    expect(foldText('한').trim()).toBe('한');
  });

  it('does not change folded text', () => {
    for (const text of ['Łódź', 'ﬁne', 'كِتَاب', 'İ', 'ὈΔΥΣΣΕΎΣ', 'Straße', '한국어', 'plain'])
      expect(wordsOf(foldText(text))).toEqual(wordsOf(text));
  });

  it('folds any text without error', () => {
    for (const text of ['', '\0', '\uD800', '\uDC00x', '🙂', '\u0301']) expect(typeof foldText(text)).toBe('string');
  });
});
