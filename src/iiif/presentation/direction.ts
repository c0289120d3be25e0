import type { Surroundings } from '../../repository/content/read/surroundings.ts';

/** Scripts that are written from right to left. */
const RIGHT_TO_LEFT: ReadonlySet<string | undefined> = new Set([
  'Adlm',
  'Arab',
  'Hebr',
  'Mand',
  'Mend',
  'Nkoo',
  'Rohg',
  'Samr',
  'Syrc',
  'Thaa',
]);
/** Bibliographic codes of ISO 639-2 that differ from the codes of language tags. */
const TAGS: Readonly<Record<string, string>> = { per: 'fa' };

/** Returns `right-to-left` for content whose pages follow each other so. Undefined for all other content. */
export function directionOf(language: string | undefined, { targets }: Surroundings): 'right-to-left' | undefined {
  const codes = targets.flatMap(({ field, target: { authorityUri } }) =>
    field === 'field_language' && authorityUri !== undefined
      ? authorityUri.slice(authorityUri.lastIndexOf('/') + 1)
      : [],
  );
  const [first] = codes.length > 0 ? codes : [language];
  return first !== undefined && RIGHT_TO_LEFT.has(scriptOf(TAGS[first] ?? first)) ? 'right-to-left' : undefined;
}

/** Returns the usual script of a language. Undefined for text that is no language tag. */
function scriptOf(tag: string): string | undefined {
  try {
    return new Intl.Locale(tag).maximize().script;
  } catch {
    // Not a language tag.
    return undefined;
  }
}
