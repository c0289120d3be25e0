/** A part of a query between spaces, before its words are folded. */
export interface RawTerm {
  readonly text: string;
  /** The name before a colon: a field, `date`, or any other text. */
  readonly field: string | undefined;
  readonly isPhrase: boolean;
  /** True with `*` at its end. */
  readonly isPrefix: boolean;
  /** True with `-` before it. */
  readonly isWithout: boolean;
  /** True for the word `OR`, which joins the terms beside it. */
  readonly isOr: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters separate words, as spaces do.
const CONTROLS = /[\x00-\x1F\x7F]/g;
/** Quotation marks that keyboards write in place of `"`. */
const QUOTES = /[“”„‟＂]/g;
/** A phrase or a word, with what may stand before and after it. A missing last quotation mark is at the end. */
const TERM = /(-?)(?:(\w+):(?=[^\s]))?(?:"([^"]*)(?:"|$)|([^\s"]+))(\*?)/g;

/** Splits a query into its parts. */
export function* readTerms(text: string): Generator<RawTerm> {
  const tidy = text.replace(CONTROLS, ' ').replace(QUOTES, '"');
  for (const [whole, minus, name, phrase, word, star] of tidy.matchAll(TERM)) {
    const bare = word?.replace(/\*+$/, '');
    yield {
      text: phrase ?? (bare as string),
      field: name?.toLowerCase(),
      isPhrase: phrase !== undefined,
      isPrefix: phrase === undefined ? bare !== word : star === '*',
      isWithout: minus === '-',
      isOr: whole === 'OR',
    };
  }
}
