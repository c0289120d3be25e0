/** Letters of which neither Unicode nor the tokenizer of SQLite knows the simple form. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ł: 'l', ø: 'o', đ: 'd', ð: 'd', ħ: 'h', ŧ: 't', ı: 'i', ŋ: 'n', ɨ: 'i', ƀ: 'b', ƚ: 'l', ɫ: 'l' },
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', þ: 'th', ς: 'σ' },
  // As spelling varies in Arabic and Persian: forms of alef, yeh, kaf and teh marbuta.
  ...{ أ: 'ا', إ: 'ا', آ: 'ا', ٱ: 'ا', ى: 'ي', ی: 'ي', ک: 'ك', ة: 'ه' },
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');
/**
 * Combining accents, points and vowels of Hebrew and Arabic, the Arabic elongation, soft hyphens, joiners, marks of
 * direction, and selectors of variants.
 */
const MARKS =
  /[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u061C\u0640\u064B-\u065F\u0670\u00AD\u200B-\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF\p{Variation_Selector}]/gu;
/**
 * Apostrophes, the marks that are typed in their place, the modifier letters of romanised scripts, and the geresh and
 * gershayim of Hebrew: the content of a class in a `u` pattern.
 */
export const APOSTROPHES =
  "'`\\u00B4\\u02B9-\\u02C1\\u02C8\\u02CA\\u02CB\\u02EE\\u0374\\u055A\\u05F3\\u05F4\\u07F4\\u07F5\\u1FBD\\u1FBF\\u1FFE\\u2018\\u2019\\u201B\\u2032-\\u2037\\u2057\\uA78B\\uA78C\\uFF07\\uFF40";
const APOSTROPHE = new RegExp(`[${APOSTROPHES}]`, 'gu');
/** The point within the Catalan l·l. */
const POINT_OF_L = /(?<=l)[\u00B7\u2027\u2219](?=l)/g;
/** A quotation mark that is typed in the place of gershayim. */
const GERSHAYIM = /(?<=\p{Script=Hebrew})["\u201D](?=\p{Script=Hebrew})/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII as a whole, which needs only lower case.
const ASCII = /^[\x00-\x7F]*$/;

/**
 * Returns a text in the form in which titles and words are compared: compatibility forms, case, accents and similar letters are
 * equal, and apostrophes and modifier letters are dropped. Folding a folded text changes nothing. NUL, which no text of the
 * database may contain, becomes a space.
 */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase().replace(/['`]/g, '').replaceAll('\0', ' ');
  return (
    text
      .replaceAll('\0', ' ')
      // Before the compatibility forms, of which some are spaces with an accent.
      .replace(APOSTROPHE, '')
      .replace(GERSHAYIM, '')
      .normalize('NFKD')
      .toLowerCase()
      .replace(MARKS, '')
      .normalize('NFC')
      .replace(APOSTROPHE, '')
      .replace(LETTER, (letter) => LETTERS[letter] ?? letter)
      .replace(POINT_OF_L, '')
  );
}

/** Signs before the first letter or digit, by which no list is ordered. */
const LEADING_SIGNS = /^[^\p{L}\p{N}]+(?=.)/u;

/** Returns the form of a title by which lists order it and completions find it. */
export function titleKeyOf(title: string): string {
  return foldText(title).replace(LEADING_SIGNS, '');
}
