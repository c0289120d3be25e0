import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import Libsql from 'libsql';
import { eachWord, expressionOf, indexedText, otherWords, phrasesOf } from '../../../src/base/words.ts';

const index = new Libsql(':memory:');
index.exec(`CREATE VIRTUAL TABLE texts USING fts5(text, content='', contentless_delete=1,
  tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'")`);
const replace = index.prepare('REPLACE INTO texts (rowid, text) VALUES (1, ?)');
const match = index.prepare('SELECT count(*) FROM texts WHERE texts MATCH ?').raw();

/** Returns true if the index finds a word or phrase in a text. */
function finds(asked: string, text: string, isPrefix = false): boolean {
  replace.run([indexedText(text)]);
  return (match.get([expressionOf(phrasesOf(asked), isPrefix)]) as unknown as number[])[0] === 1;
}

const APOSTROPHES = ["'", '’', '‘', '`', '´', 'ʼ', 'ʻ', 'ʹ', 'ʺ', 'ʿ', 'ʾ', '′', '＇'];

describe('a word with an apostrophe', () => {
  it.each(APOSTROPHES)('%s is found with and without it, in the index and in the query', (sign) => {
    for (const [before, after] of [
      ['Qur', 'ān'],
      ['O', 'Connor'],
      ['Hawai', 'i'],
      ['d', 'Arcy'],
      ['T', 'ang'],
      ['Gor', 'kii'],
    ] as const) {
      const [signed, plain] = [`${before}${sign}${after}`, `${before}${after}`];
      for (const text of [signed, plain])
        expect([text, finds(signed, text), finds(plain, text)]).toEqual([text, true, true]);
      expect(finds(plain.slice(0, -1), `The ${signed} papers`, true)).toBe(true);
    }
  });

  it('is found in phrases', () => {
    for (const [phrase, text] of [
      ['Darcy family', "The d'Arcy family"],
      ["d'Arcy family", 'The Darcy family'],
      ['papers of lamour darcy', 'papers of l’amour Darcy'],
      ['papers of lamour darcy', 'papers of Lamour d’Arcy'],
      ['cooperative society', 'Cooperative society'],
      ['co-operative society', 'Cooperative society'],
    ] as const)
      expect([phrase, finds(phrase, text)]).toEqual([phrase, true]);
    expect(finds('dart family', "d'Arcy family")).toBe(false);
    for (const phrase of ["O'Connor family", 'OConnor family', 'the O’Connor'])
      expect(finds(phrase, 'Letters of the O’Connor family')).toBe(true);
    expect(finds('Ahl al-Quran', 'Ahl al-Qurʼān')).toBe(true);
    expect(finds('T’ang dynasty', 'Tang dynasty') && finds('Tang dynasty', 'T’ang dynasty')).toBe(true);
  });

  it('is found by its parts of three letters', () => {
    expect(finds('connor', "O'Connor") && finds('mother', 'Mother’s Day') && finds('mothers day', 'Mother’s Day')).toBe(
      true,
    );
    expect(finds('s', 'Mother’s Day')).toBe(false);
  });
});

describe('an elided article', () => {
  it('is a word of its own, so that phrases may begin after it', () => {
    expect(finds('Université de Montréal', "Fonds de l'Université de Montréal")).toBe(true);
    expect(finds("histoire de l'art", "Éléments d'histoire de l’art")).toBe(true);
    expect(finds('arte moderna', "Storia dell'arte moderna")).toBe(true);
    expect(finds("l'amour", 'L’AMOUR') && finds('lamour', "l'amour") && finds('amour', "l'amour")).toBe(true);
  });

  it('is none if letters stand before it', () => {
    expect(finds('all', "Hall'ein")).toBe(false);
  });
});

describe('a word with a hyphen', () => {
  it.each([
    ['cooperate', 'co-operate'],
    ['co-operate', 'cooperate'],
    ['co operate', 'co-operate'],
    ['operate', 'co-operate'],
    ['email', 'E‑mail'],
    ['9783161484100', '978-3-16-148410-0'],
    ['978-3-16-148410-0', '9783161484100'],
    ['00280836', 'ISSN 0028-0836'],
    ['arcenciel', "l'arc-en-ciel"],
    ['arc en ciel', "l'arc-en-ciel"],
    ['בןציון', 'בן־ציון'],
  ])('%s finds %s', (asked, text) => {
    expect(finds(asked, text)).toBe(true);
  });

  it('is found by the beginning of its whole', () => {
    expect(finds('coop', 'co-operate', true)).toBe(true);
    expect(finds('co-op', 'cooperate', true)).toBe(true);
  });
});

describe('a word of Chinese, Japanese or Korean', () => {
  it.each([
    ['東京', '東京湾'],
    ['京湾', '東京湾'],
    ['東京湾', '新東京湾岸'],
    ['東', '東京湾'],
    ['京', '東京湾'],
    ['湾', '東京湾'],
    ['東京', '東 京 湾'],
    ['東京湾', '東京\n湾'],
    ['圖書館', '國立臺灣圖書館藏'],
    ['図書館', '東京都の図書館で'],
    ['도서관', '국립중앙도서관'],
    ['국립 중앙', '국립 중앙도서관'],
    ['ラーメン', '札幌ラーメン店'],
    ['ﾗｰﾒﾝ', '札幌ラーメン店'],
    ['ラーメン', '札幌ﾗｰﾒﾝ店'],
    ['がく', 'か\u3099くせい'],
    ['𠮷野家', '新𠮷野家店'],
    ['𠮷', '新𠮷野家'],
    ['佐々木', '佐々木小次郎'],
    ['第3章', '第3章節'],
    ['3章', '第３章'],
    ['湾 Bay', '東京湾 Bay'],
    ['京湾Bay', '東京湾Bay Map'],
    ['Tokyo東京', 'Guide: Tokyo東京湾'],
    ['東京。', '東京湾。'],
    ['章。', '第3章節'],
    ['กิน', 'กินข้าวที่บ้าน'],
  ])('%s is found in %s', (asked, text) => {
    expect(finds(asked, text)).toBe(true);
  });

  it.each([
    ['東湾', '東京湾'],
    ['京東', '東京湾'],
    ['東京湾岸', '東京湾'],
    ['東京湾', '東京 京湾'],
    ['湾 岸', '岸 湾'],
    ['bay 湾', '東京湾 bay'],
  ])('%s is not found in %s', (asked, text) => {
    expect(finds(asked, text)).toBe(false);
  });

  it('is found wherever a text has it', () => {
    const letter = fc.constantFrom(...'東京湾のカー한국𠮷々', ' ', 'a', "'", '-', '1', '。');
    fc.assert(
      fc.property(fc.array(letter, { minLength: 1, maxLength: 14 }), fc.nat(13), fc.nat(4), (letters, from, length) => {
        const part = letters.slice(from, from + length + 1);
        const isWord = part.length > 0 && part.every((each) => /[^\s\w'。-]/u.test(each));
        if (isWord) expect(finds(part.join(''), letters.join(''))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the words of a text', () => {
  const wordsOf = (text: string) =>
    Array.from(eachWord(text), ({ start, end, folded }) => [text.slice(start, end), folded]);
  const othersOf = (text: string) =>
    Array.from(otherWords(text), ({ start, end, folded }) => [text.slice(start, end), folded]);

  it('have their places in it', () => {
    expect(wordsOf("L’Étranger, ʻAjam & O'Connor")).toEqual([
      ['L’', 'l'],
      ['Étranger', 'etranger'],
      ['ʻAjam', 'ajam'],
      ["O'Connor", 'oconnor'],
    ]);
    expect(wordsOf('新𠮷野 Bay')).toEqual([
      ['新', '新'],
      ['𠮷', '𠮷'],
      ['野', '野'],
      ['Bay', 'bay'],
    ]);
    expect(wordsOf('ｶﾞｽ か\u3099 葛\u{E0100} \u1112\u1161\u11AB')).toEqual([
      ['ｶﾞ', 'ガ'],
      ['ｽ', 'ス'],
      ['か\u3099', 'が'],
      ['葛\u{E0100}', '葛'],
      ['\u1112\u1161\u11AB', '한'],
    ]);
    expect(wordsOf('½ กินข้าว')).toEqual([
      ['½', '1'],
      ['½', '2'],
      ['กิน', 'กิน'],
      ['ข้าว', 'ข้าว'],
    ]);
    expect(wordsOf('col·lecció')).toEqual([['col·lecció', 'colleccio']]);
  });

  it('have other forms in the same places', () => {
    expect(othersOf("O'Connor")).toEqual([['Connor', 'connor']]);
    expect(othersOf("d'Arcy’s")).toEqual([["d'Arcy’s", 'darcys']]);
    expect(othersOf("'O'Connor-Smith'")).toEqual([
      ['Connor', 'connor'],
      ["O'Connor-Smith", 'oconnorsmith'],
    ]);
    expect(othersOf('plain words')).toEqual([]);
  });

  it('are read in a time that grows with the text', () => {
    const long = `${'x'.repeat(200_000)}'`;
    expect([...otherWords(long)]).toEqual([]);
    expect(indexedText(long)).toHaveLength(200_000);
  });

  it('of any characters cause no error', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
        const clean = text.toWellFormed();
        for (const { folded } of eachWord(clean)) expect(typeof folded).toBe('string');
        expect(() => indexedText(clean)).not.toThrow();
      }),
    );
  });
});

describe('a text of ASCII', () => {
  const anyAscii = fc.string({ unit: 'binary-ascii', maxLength: 60 });

  it('has the same words as it has beside a letter with an accent', () => {
    fc.assert(
      fc.property(anyAscii, (text) => {
        const beside = [...eachWord(`${text} \u00E9`)];
        expect([...eachWord(text)]).toEqual(beside.slice(0, -1));
        if (!/['`-]/.test(text)) expect(`${indexedText(text)} e`).toBe(indexedText(`${text} \u00E9`));
      }),
    );
  });
});
