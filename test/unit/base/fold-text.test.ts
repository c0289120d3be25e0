import { describe, expect, it } from 'bun:test';
import { foldText, titleKeyOf } from '../../../src/base/fold-text.ts';

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

  it('drops apostrophes, the marks typed in their place, and the modifier letters of romanised scripts', () => {
    expect(foldText("Qurʼān Hawaiʻi O'Connor O’Connor O‘Connor O´Connor O`Connor O＇Connor")).toBe(
      'quran hawaii oconnor oconnor oconnor oconnor oconnor oconnor',
    );
    expect(foldText('Gorʹkiĭ obʺekt ʿAjam ʾAlī Maʻārif Mošʹe ŉ Об’єднання ἀλλ᾽ O′Hara K′ˈi')).toBe(
      'gorkii obekt ajam ali maarif mose n обєднання αλλ ohara ki',
    );
  });

  it('drops what is within words of Hebrew, Catalan and Arabic', () => {
    expect(foldText('צה״ל צה"ל ג׳ורג׳')).toBe('צהל צהל גורג');
    expect(foldText('col·lecció Gal·la COŀLEGI Art·Design')).toBe('colleccio galla collegi art·design');
    expect(foldText('كتــاب می\u200Cخواهم')).toBe('كتاب ميخواهم');
  });

  it('drops selectors of variants and marks of direction', () => {
    expect(foldText('葛\u{E0100}城 \u2067שלום\u2069')).toBe('葛城 שלום');
  });

  it('writes out ligatures, the sharp s and Roman numerals', () => {
    expect(foldText('ﬁlm ﬀ Straße STRAẞE Ⅻ ⅳ ㈱ ㍿ № ½')).toBe('film ff strasse strasse xii iv (株) 株式会社 no 1⁄2');
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

describe('titleKeyOf', () => {
  it.each([
    ['ʻAjam', 'ajam'],
    ["'Twas the night", 'twas the night'],
    ['“A house” by the sea', 'a house” by the sea'],
    ['[Untitled]', 'untitled]'],
    ['¿Qué?', 'que?'],
    ['L’Étranger', 'letranger'],
    ['東京湾', '東京湾'],
    ['ﾄｳｷｮｳ', 'トウキョウ'],
    ['???', '?'],
    ['', ''],
  ])('of %p is %p', (title, key) => {
    expect(titleKeyOf(title)).toBe(key);
  });
});
