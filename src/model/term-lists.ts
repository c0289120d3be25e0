import codes from 'i18n-iso-countries/codes.json';
import english from 'i18n-iso-countries/langs/en.json';
import { iso6392 } from 'iso-639-2';
import type { DefaultTerm } from './content-model.ts';

/** A built-in list of terms, with the authority source of its addresses. */
interface TermList {
  readonly source: string;
  terms(): DefaultTerm[];
}

/** Built-in lists by their name in configuration. They are created on demand: only a new repository needs them. */
export const TERM_LISTS: ReadonlyMap<string, TermList> = new Map([
  ['countries', { source: 'other', terms: countries }],
  ['languages', { source: 'iso639-2', terms: languages }],
]);

/**
 * Returns the countries of ISO 3166-1. Their addresses are not in id.loc.gov/vocabulary/countries, which has MARC
 * codes: the same code often means another country.
 */
function countries(): DefaultTerm[] {
  const names: Readonly<Record<string, string | string[]>> = english.countries;
  return codes.flatMap(([code]) => {
    if (code === undefined) return [];
    const name = [names[code]].flat()[0];
    if (name === undefined) return [];
    return {
      name,
      uri: `https://www.iso.org/obp/ui/#iso:code:3166:${code}`,
      description: undefined,
      parent: undefined,
      code: code.toLowerCase(),
      source: 'other',
    };
  });
}

/** Returns the languages of ISO 639-2 with their bibliographic codes, as in id.loc.gov. */
function languages(): DefaultTerm[] {
  return iso6392.map(({ name, iso6392B }) => ({
    name,
    uri: `http://id.loc.gov/vocabulary/iso639-2/${iso6392B}`,
    description: undefined,
    parent: undefined,
    code: iso6392B,
    source: 'iso639-2',
  }));
}
