/** A text in languages, as the Presentation API writes it. */
export type LanguageMap = Readonly<Record<string, readonly string[]>>;

/** Undetermined, several, uncoded, and no language at all (ISO 639-2). */
const NO_LANGUAGE: ReadonlySet<string> = new Set(['und', 'mul', 'mis', 'zxx']);
/** The language of a text without a known one (Presentation API 3.0, 4.1). */
const NONE = 'none';

/** Returns texts in one language. */
export function inLanguage(language: string | undefined, ...texts: readonly string[]): LanguageMap {
  const isKnown = language !== undefined && !NO_LANGUAGE.has(language);
  return { [isKnown ? language : NONE]: texts };
}

/**
 * Returns texts as values that may be HTML. A text that looks like HTML, from its first character to its last, is written as
 * HTML that shows it (Presentation API 3.0, 4.2): viewers would take it for markup.
 */
export function proseIn(language: string | undefined, ...texts: readonly string[]): LanguageMap {
  const isLikeHtml = (text: string) => text.startsWith('<') && text.endsWith('>');
  return inLanguage(language, ...texts.map((text) => (isLikeHtml(text) ? `<span>${escaped(text)}</span>` : text)));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
