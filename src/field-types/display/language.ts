import { rememberTexts } from '../../base/remember-texts.ts';

/** The language of pages, apart from their content. */
export const PAGE_LANGUAGE = 'en';

/** Undetermined, several, uncoded, and no language at all (ISO 639-2). */
const NO_LANGUAGE: ReadonlySet<string> = new Set(['und', 'mul', 'mis', 'zxx']);
/** Writes the day first and the month as a word, which is unambiguous. */
const ENGLISH = 'en-GB';

/** Returns the language tag of content (BCP 47), or that of pages for content without a language. */
export function languageOf(langcode: string): string {
  const tag = canonicalTag(langcode);
  return tag === undefined || NO_LANGUAGE.has(tag) ? PAGE_LANGUAGE : tag;
}

/** The names of languages in the language of pages. */
const languageNames = new Intl.DisplayNames(ENGLISH, { type: 'language', fallback: 'none' });

/** Returns the name of a language by its code, such as "Norwegian Bokmål" for `nb`. Undefined for an unknown code. */
export function languageName(code: string): string | undefined {
  const tag = canonicalTag(code);
  if (tag === undefined) return undefined;
  return tag === 'und' ? 'Undetermined' : languageNames.of(tag);
}

/** Returns the locale for dates and sizes in a language. English if the runtime does not support it. */
export const localeOf: (language: string) => string = rememberTexts((language) =>
  language === PAGE_LANGUAGE ? ENGLISH : (Intl.DateTimeFormat.supportedLocalesOf(language)[0] ?? ENGLISH),
);

/**
 * Returns the language of a code, without its script and country, as the runtime knows it: `de` for `ger`. Throws a RangeError
 * for a malformed code.
 */
export const usualLanguage: (code: string) => string = rememberTexts(
  (code) => new Intl.Locale(code).maximize().language,
);

/** Returns the `lang` of an element inside one of another language. None if they are equal. */
export function langWithin(language: string, around: string): { lang?: string } {
  return language === around ? {} : { lang: language };
}

const canonicalTag = rememberTexts((text) => {
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    // The tag is malformed.
    return undefined;
  }
});
