import type { AuthorityKind } from './authority-record.ts';

/** An authority file: its name in the content model (`authority_sources`), and the kind of its records that have none. */
interface AuthoritySource {
  readonly source: string;
  readonly kind: AuthorityKind;
}

/** The beginnings of the URIs of authority files. */
const SOURCES: readonly (readonly [pattern: RegExp, source: string, kind: AuthorityKind])[] = [
  [/^https?:\/\/id\.loc\.gov\/authorities\/names\//, 'naf', 'other'],
  [/^https?:\/\/id\.loc\.gov\/authorities\/subjects\//, 'lcsh', 'topic'],
  [/^https?:\/\/id\.loc\.gov\/authorities\/childrensSubjects\//, 'lcshac', 'topic'],
  [/^https?:\/\/id\.loc\.gov\/authorities\/genreForms\//, 'lcgft', 'genre'],
  [/^https?:\/\/id\.loc\.gov\/vocabulary\/graphicMaterials\//, 'tgm', 'topic'],
  [/^https?:\/\/d-nb\.info\/gnd\//, 'gnd', 'other'],
  [/^https?:\/\/vocab\.getty\.edu\/aat\//, 'aat', 'topic'],
  [/^https?:\/\/vocab\.getty\.edu\/tgn\//, 'tgn', 'place'],
  [/^https?:\/\/vocab\.getty\.edu\/ulan\//, 'ulan', 'person'],
  [/^https?:\/\/(sws|www)\.geonames\.org\//, 'geonames', 'place'],
  [/^https?:\/\/viaf\.org\/viaf\//, 'viaf', 'other'],
  [/^https?:\/\/www\.wikidata\.org\/entity\//, 'wiki', 'other'],
  [/^https?:\/\/id\.worldcat\.org\/fast\//, 'fast', 'topic'],
  [/^https?:\/\/id\.nlm\.nih\.gov\/mesh\//, 'mesh', 'topic'],
];

const OTHER: AuthoritySource = { source: 'other', kind: 'other' };

/** Returns the authority file to which an URI belongs. */
export function sourceOfUri(uri: string): AuthoritySource {
  const entry = SOURCES.find(([pattern]) => pattern.test(uri));
  return entry === undefined ? OTHER : { source: entry[1], kind: entry[2] };
}
