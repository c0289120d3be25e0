/** The language that pages are written in, apart from their content. */
export const PAGE_LANGUAGE = 'en';

/** Undetermined, several, uncoded, and no language at all (ISO 639-2). */
const NO_LANGUAGE: ReadonlySet<string> = new Set(['und', 'mul', 'mis', 'zxx']);
/** With the day first and the month in words, which no reader takes for another date. */
const ENGLISH = 'en-GB';

/** The language tag of content (BCP 47), that of pages where it has none. */
export function languageOf(langcode: string): string {
  const tag = canonicalTag(langcode);
  return tag === undefined || NO_LANGUAGE.has(tag) ? PAGE_LANGUAGE : tag;
}

/** The locale in which dates and sizes are written for a language; English where the program knows none. */
export function localeOf(language: string): string {
  return language === PAGE_LANGUAGE ? ENGLISH : (Intl.DateTimeFormat.supportedLocalesOf(language)[0] ?? ENGLISH);
}

/** The `lang` of an element in one language within another; left out where it would say nothing new. */
export function langWithin(language: string, around: string): { lang?: string } {
  return language === around ? {} : { lang: language };
}

function canonicalTag(text: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(text)[0];
  } catch {
    // What is not well-formed names no language.
    return undefined;
  }
}
