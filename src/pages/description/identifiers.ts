import { DCTERMS, type MappedValue } from './mapped-values.ts';

/** The identifiers of a work that catalogues and reference managers know. */
export interface Identifiers {
  readonly doi: string | undefined;
  readonly isbn: readonly string[];
  readonly issn: readonly string[];
}

/** The ends of predicates for identifiers, in any vocabulary. */
const PREDICATES = { doi: /[/#:]doi$/i, isbn: /[/#:]isbn$/i, issn: /[/#:]issn$/i };
const DOI = /^(?:doi:\s*|https?:\/\/(?:dx\.)?doi\.org\/)?(10\.\d{4,9}(?:\.\d+)*\/\S+)$/i;
const ISBN = /^(?:isbn(?:-1[03])?[:\s]*)?((?:97[89][- ]?)?(?:\d[- ]?){9}[\dxX])\b/i;
const ISSN = /^(?:issn[:\s]*)?(\d{4}-\d{3}[\dxX])\b/i;

/** Finds the identifiers among mapped values. `citeAs` is the permanent address of the work. */
export function findIdentifiers(values: readonly MappedValue[], citeAs: string | undefined): Identifiers {
  const named = (name: keyof typeof PREDICATES) =>
    values.filter(({ predicates }) => predicates.some((each) => PREDICATES[name].test(each)));
  const identifiers = values.filter(({ predicates }) => predicates.includes(`${DCTERMS}identifier`));
  const first = (pattern: RegExp, texts: readonly string[]) =>
    texts.flatMap((text) => pattern.exec(text.trim())?.[1] ?? []);
  const texts = (of: readonly MappedValue[]) => of.map(({ text }) => text);
  return {
    doi: first(DOI, [...(citeAs === undefined ? [] : [citeAs]), ...texts(named('doi')), ...texts(identifiers)])[0],
    isbn: [...new Set(first(ISBN, texts(named('isbn'))))],
    issn: [
      ...new Set(first(ISSN, [...texts(named('issn')), ...texts(identifiers).filter((text) => /^issn/i.test(text))])),
    ],
  };
}
