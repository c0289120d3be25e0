import type { Static } from '@sinclair/typebox';
import codes from 'i18n-iso-countries/codes.json';
import english from 'i18n-iso-countries/langs/en.json';
import { iso6392 } from 'iso-639-2';
import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import type { Bundle } from './content-model.ts';
import type { DefaultTerm } from './default-term.ts';
import { TermSchema, TermSetSchema } from './model-schema.ts';

/** The part of a vocabulary with which its terms are checked. */
type TermBundle = Bundle & { readonly uriField: string | undefined };

/**
 * Reads the initial terms of a vocabulary. Terms in the file are read and checked now, a built-in list when the
 * returned function is called.
 */
export function parseTerms(
  reader: ConfigReader,
  vocabulary: TermBundle,
  value: unknown,
  path: string[],
): () => DefaultTerm[] {
  const file: Partial<Static<typeof TermSetSchema>> = reader.map(TermSetSchema, value, path);
  if ((file.list === undefined) === (file.terms === undefined) && !reader.hasProblem(path)) {
    reader.report(path, `${nameOf(path)} must have either terms or list`);
  }
  if (file.list !== undefined) return parseList(reader, vocabulary, file.list, [...path, 'list']);
  const termsPath = [...path, 'terms'];
  if (file.source !== undefined) checkSource(reader, vocabulary, file.source, [...path, 'source']);
  const terms = (file.terms ?? []).map((term, index) =>
    parseTerm(reader, vocabulary, term, [...termsPath, `${index}`], file.source),
  );
  checkTree(reader, terms, termsPath);
  return () => terms;
}

function parseList(reader: ConfigReader, vocabulary: TermBundle, name: string, path: string[]): () => DefaultTerm[] {
  const list = TERM_LISTS.get(name);
  if (list === undefined) {
    reader.reportUnknown(path, 'built-in list', name, TERM_LISTS.keys());
    return () => [];
  }
  if (vocabulary.uriField === undefined) reportNoUriField(reader, vocabulary, path);
  else if (isAuthorityLink(vocabulary)) checkSource(reader, vocabulary, list.source, path);
  let terms: DefaultTerm[] | undefined;
  return () => {
    terms ??= list.terms().map((term) => fitted(term, vocabulary));
    return terms;
  };
}

/** Removes the values of a listed term for which its vocabulary has no field. */
function fitted(term: DefaultTerm, vocabulary: TermBundle): DefaultTerm {
  return {
    ...term,
    code: vocabulary.fieldNamed.has('field_code') ? term.code : undefined,
    source: isAuthorityLink(vocabulary) ? term.source : undefined,
  };
}

function parseTerm(
  reader: ConfigReader,
  vocabulary: TermBundle,
  value: unknown,
  path: string[],
  commonSource: string | undefined,
): DefaultTerm {
  const file: Partial<Static<typeof TermSchema>> = reader.map(TermSchema, value, path);
  if (file.uri !== undefined) {
    const at = [...path, 'uri'];
    if (!URL.canParse(file.uri)) reader.report(at, `${nameOf(at)} must be an absolute address, found "${file.uri}"`);
    if (vocabulary.uriField === undefined) reportNoUriField(reader, vocabulary, at);
    else if (isAuthorityLink(vocabulary) && file.source === undefined && commonSource === undefined) {
      const missing = [...path, 'source'];
      reader.report(missing, `${nameOf(missing)} is missing; it is the authority source of uri`);
    }
  }
  if (file.source !== undefined) checkSource(reader, vocabulary, file.source, [...path, 'source']);
  if (file.code !== undefined && !vocabulary.fieldNamed.has('field_code')) {
    const at = [...path, 'code'];
    reader.report(at, `${nameOf(at)} has no place: the vocabulary ${vocabulary.name} has no field_code`);
  }
  return {
    name: file.name ?? '',
    uri: file.uri,
    description: file.description,
    parent: file.parent,
    code: file.code,
    source: file.uri === undefined || !isAuthorityLink(vocabulary) ? undefined : (file.source ?? commonSource),
  };
}

function checkSource(reader: ConfigReader, vocabulary: TermBundle, source: string, path: string[]): void {
  const sources = vocabulary.fieldNamed.get('field_authority_link')?.authoritySources;
  if (!isAuthorityLink(vocabulary) || sources === undefined) {
    reader.report(path, `${nameOf(path)} has no place: only a field_authority_link as uri_field keeps a source`);
  } else if (!Object.hasOwn(sources, source)) {
    reader.reportUnknown(path, `authority source of the vocabulary ${vocabulary.name}`, source, Object.keys(sources));
  }
}

function reportNoUriField(reader: ConfigReader, vocabulary: TermBundle, path: string[]): void {
  reader.report(path, `${nameOf(path)} has no place: the vocabulary ${vocabulary.name} has no uri_field`);
}

function isAuthorityLink(vocabulary: TermBundle): boolean {
  return vocabulary.uriField === 'field_authority_link';
}

/** Reports duplicate names, unknown parents and circular parents. */
function checkTree(reader: ConfigReader, terms: readonly DefaultTerm[], path: string[]): void {
  const parentOf = new Map<string, string | undefined>();
  for (const [index, term] of terms.entries()) {
    const at = [...path, `${index}`, 'name'];
    if (term.name !== '' && parentOf.has(term.name)) {
      reader.report(at, `${nameOf(at)}: "${term.name}" is listed twice`);
    }
    parentOf.set(term.name, term.parent);
  }
  for (const [index, { name, parent }] of terms.entries()) {
    if (parent === undefined) continue;
    const at = [...path, `${index}`, 'parent'];
    if (!parentOf.has(parent)) reader.reportUnknown(at, 'term', parent, parentOf.keys());
    else if (isAbove(parentOf, name)) reader.report(at, `${nameOf(at)} is circular: it leads back to "${name}"`);
  }
}

function isAbove(parentOf: ReadonlyMap<string, string | undefined>, name: string): boolean {
  const seen = new Set<string>();
  for (let above = parentOf.get(name); above !== undefined && !seen.has(above); above = parentOf.get(above)) {
    if (above === name) return true;
    seen.add(above);
  }
  return false;
}

/** A built-in list of terms, with the authority source of its addresses. */
interface TermList {
  readonly source: string;
  terms(): DefaultTerm[];
}

/** Built-in lists by their name in configuration. They are created on demand: only a new repository needs them. */
const TERM_LISTS: ReadonlyMap<string, TermList> = new Map([
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
