/** Letters of which neither Unicode nor the tokenizer of SQLite knows the simple form. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ł: 'l', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ŧ: 't', ı: 'i', ŋ: 'n', ɨ: 'i', ƀ: 'b', ƚ: 'l', ɫ: 'l' },
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ς: 'σ' },
  // As spelling varies in Arabic and Persian: forms of alef, yeh, kaf and teh marbuta.
  ...{ أ: 'ا', إ: 'ا', آ: 'ا', ٱ: 'ا', ى: 'ي', ی: 'ي', ک: 'ك', ة: 'ه' },
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');
/** Combining accents, points and vowels of Hebrew and Arabic, the Arabic elongation, soft hyphens and joiners. */
const MARKS =
  /[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670\u00AD\u200B-\u200F\u2060\uFEFF]/g;
/** Letters of scripts that write words without spaces, or, as Korean, with endings: the content of a class in a `u` pattern. */
export const UNSPACED_LETTERS =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー々';
const UNSPACED = new RegExp(`[${UNSPACED_LETTERS}]+`, 'gu');
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII as a whole, which needs only lower case.
const ASCII = /^[\x00-\x7F]*$/;

const words = new Intl.Segmenter('und', { granularity: 'word' });

/**
 * Returns a text as the search index stores it and as queries ask for it: compatibility forms, case, accents and similar
 * letters are equal, and words of scripts without spaces are separated by spaces. Folding a folded text changes nothing
 * but the separation of words. NUL, which no text of the database may contain, becomes a space.
 */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase().replaceAll('\0', ' ');
  const folded = text
    .replaceAll('\0', ' ')
    .normalize('NFKD')
    .toLowerCase()
    .replace(MARKS, '')
    .normalize('NFC')
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter);
  return folded.replace(UNSPACED, separated);
}

function separated(run: string): string {
  let spaced = ' ';
  for (const { segment } of words.segment(run)) spaced += `${segment} `;
  return spaced;
}
