import codes from 'i18n-iso-countries/codes.json';
import english from 'i18n-iso-countries/langs/en.json';
import { iso6392 } from 'iso-639-2';
import type { DefaultTerm } from './content-model.ts';

/** A list of terms that comes with the program, and the authority source that its addresses belong to. */
export interface TermList {
  readonly source: string;
  terms(): DefaultTerm[];
}

/** Lists by the name that configuration calls them. Made when first asked for: only a new repository needs them. */
export const TERM_LISTS: ReadonlyMap<string, TermList> = new Map([
  ['countries', { source: 'other', terms: countries }],
  ['languages', { source: 'iso639-2', terms: languages }],
]);

/**
 * ISO 3166-1. The addresses are not those of id.loc.gov/vocabulary/countries: the codes there are MARC
 * codes, and an ISO code often means another country among them.
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

/** ISO 639-2 with its bibliographic codes, which are those of id.loc.gov. */
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
