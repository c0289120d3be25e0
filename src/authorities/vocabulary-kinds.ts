import type { Vocabulary } from '../model/content-model.ts';
import type { AuthorityKind } from './authority-record.ts';

/** The kinds of records that become terms of a vocabulary, the most fitting first. */
const KINDS_OF: Readonly<Record<string, readonly AuthorityKind[]>> = {
  person: ['person'],
  family: ['family'],
  corporate_body: ['organisation'],
  geo_location: ['place'],
  subject: ['topic', 'title'],
  genre: ['genre'],
  physical_form: ['genre'],
  temporal_subjects: ['period'],
};

/** Returns true for a vocabulary of the names of persons, places, subjects and the like, which grows with the collection. */
export function holdsNames(vocabulary: string): boolean {
  return Object.hasOwn(KINDS_OF, vocabulary);
}

/** The authority file that a list belongs to when it is none of those that the content model names. */
export const OTHER_SOURCE = 'other';

/** Returns the names of the authority files whose URIs terms of a vocabulary may have. Undefined if they have none. */
export function sourcesOf({ fields }: Vocabulary): Readonly<Record<string, string>> | undefined {
  return fields.find(({ authoritySources }) => authoritySources !== undefined)?.authoritySources;
}

/**
 * Returns the vocabularies whose terms the records of a list may become, by the kind of a record, the first one for a kind of
 * several. A record without a kind fits where the vocabulary names the list. Other vocabularies than those that the program
 * knows take every kind of the lists that they name.
 */
export function vocabulariesByKind(
  vocabularies: readonly Vocabulary[],
  source: string,
): ReadonlyMap<AuthorityKind | 'any', Vocabulary> {
  const byKind = new Map<AuthorityKind | 'any', Vocabulary>();
  const add = (kind: AuthorityKind | 'any', vocabulary: Vocabulary) => {
    if (!byKind.has(kind)) byKind.set(kind, vocabulary);
  };
  for (const vocabulary of vocabularies) {
    const sources = sourcesOf(vocabulary);
    if (sources === undefined) continue;
    const isNamed = source !== OTHER_SOURCE && Object.hasOwn(sources, source);
    const kinds = KINDS_OF[vocabulary.name];
    if (kinds === undefined) {
      if (isNamed) add('any', vocabulary);
      continue;
    }
    if (!isNamed && !Object.hasOwn(sources, OTHER_SOURCE)) continue;
    for (const kind of kinds) add(kind, vocabulary);
    if (isNamed) add('other', vocabulary);
  }
  return byKind;
}
