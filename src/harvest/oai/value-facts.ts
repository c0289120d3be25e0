import { DOI } from '../../base/doi.ts';
import { dateRange } from '../../field-types/date-range.ts';
import { dateInWords } from '../../field-types/display/date-in-words.ts';
import type { FieldTypes } from '../../field-types/field-type.ts';
import { firstDate } from '../../field-types/first-date.ts';
import { textWithoutMarkup } from '../../field-types/text-without-markup.ts';
import type { AccessRights } from '../../model/access-rules.ts';
import { accessStatement, accessWords } from '../../model/access-vocabulary.ts';
import type { ContentModel, FieldDefinition, FieldValues, Item, RdfCallback } from '../../model/content-model.ts';
import type { ElementTemplate, HarvestFact, HarvestFormat } from '../../model/harvest-model.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';
import type { Neighbour } from '../../repository/content/read/surroundings.ts';
import type { FactOf } from './fill-template.ts';
import type { AgentFacts, RecordFile } from './find-related.ts';

const ADDRESS = /^https?:\/\/\S+$/;
const LANGUAGE_CODE = /\/iso639-2\/([a-z]{3})$/;
/** Codes of ISO 639-1, 639-2 and 639-3 in the addresses of the Library of Congress and others. */
const ANY_LANGUAGE_CODE = /\/(?:iso639-1\/([a-z]{2})|(?:iso639-[23]|languages)\/([a-z]{3}))$/;
/** The years that formats accept: a long one or one before the year 1 is none. */
const YEAR = /^\d{4}(?!\d)/;

/** The facts about a record that templates use. */
export interface RecordFacts {
  readonly url: string;
  readonly title: string;
  readonly addedYear: string;
  readonly site: string;
  readonly language: string;
  /** Its first DOI, without a prefix; empty without one. */
  readonly doi: string;
}

/** A value of a record. */
interface Value {
  readonly item: Item;
  readonly field: MappedField;
  /** The term or node that it refers to, if harvesters may see it. */
  readonly target: Neighbour | undefined;
  /** The address of that node. */
  readonly targetUrl: string | undefined;
  /** The facts about it, if it is an agent. */
  readonly agent: AgentFacts | undefined;
}

/** Returns the facts about a value; undefined for an empty value and for a reference to a hidden target. */
export function factsOfValue(types: FieldTypes, value: Value, record: RecordFacts): FactOf | undefined {
  const text = textOfValue(types, value, record);
  return text === ''
    ? undefined
    : (fact) =>
        factOfValue(types, value, text, fact) ?? factOfIdentifier(record, text, fact) ?? factOfRecord(record, fact);
}

/** Returns a fact about a record; empty for a fact about a value. */
export function factOfRecord({ url, title, addedYear, site }: RecordFacts, fact: HarvestFact): string {
  switch (fact) {
    case 'url':
      return url;
    case 'title':
      return title;
    case 'added_year':
      return addedYear;
    case 'site':
      return site;
    default:
      return '';
  }
}

/** Returns a fact about an identifier: `identifier` of DataCite has the DOI of the record, or else its address. */
function factOfIdentifier({ doi, url }: RecordFacts, text: string, fact: HarvestFact): string | undefined {
  if (fact !== 'other_identifier') return undefined;
  const isMain = doi === '' ? text === url : DOI.exec(text)?.[1] === doi;
  return isMain ? '' : text;
}

/** Returns the fact about a file whose media type is the value. */
export function factsOfFile({ mimeType, path }: RecordFile, baseUrl: string, record: RecordFacts): FactOf {
  return (fact) => {
    if (fact === 'value') return mimeType;
    return fact === 'uri' ? baseUrl + path : factOfRecord(record, fact);
  };
}

/** Returns the facts about what access rules close of a record. */
export function factsOfAccess(rights: AccessRights, record: RecordFacts): FactOf {
  const { coar, euRepo, label, until = '' } = accessStatement(rights);
  const facts: Partial<Record<HarvestFact, string>> = {
    ...{ access_coar: coar, access_eu_repo: euRepo, access_label: label, open_from: until },
    access_words: accessWords(rights).join(' '),
  };
  return (fact) => facts[fact] ?? factOfRecord(record, fact);
}

/** Returns the first DOI in a field that a format takes DOIs from, without a prefix; empty without one. */
export function firstDoi(fields: readonly MappedField[], members: FieldValues): string {
  for (const { definition, templates } of fields) {
    if (!templates.some(({ text }) => text.some((part) => typeof part !== 'string' && part.fact === 'doi'))) continue;
    for (const { value } of members[definition.name] ?? []) {
      const [, doi] = (typeof value === 'string' && DOI.exec(value)) || [];
      if (doi !== undefined) return doi;
    }
  }
  return '';
}

function languageCode(target: Neighbour | undefined): string {
  const [, short, long] = ANY_LANGUAGE_CODE.exec(target?.authorityUri ?? target?.externalUri ?? '') ?? [];
  return short ?? long ?? '';
}

/** Returns a fact about an agent; undefined for other facts. */
function factOfAgent(agent: AgentFacts | undefined, fact: HarvestFact): string | undefined {
  const [own, affiliation] = [agent?.identifier, agent?.affiliation];
  switch (fact) {
    case 'name_id':
      return own?.id ?? '';
    case 'name_id_scheme':
      return own?.scheme ?? '';
    case 'name_id_uri':
      return own?.schemeUri ?? '';
    case 'affiliation':
      return affiliation?.name ?? '';
    case 'affiliation_id':
      return affiliation?.identifier?.id ?? '';
    case 'affiliation_id_scheme':
      return affiliation?.identifier?.scheme ?? '';
    case 'affiliation_id_uri':
      return affiliation?.identifier?.schemeUri ?? '';
    default:
      return undefined;
  }
}

function textOfValue(
  types: FieldTypes,
  { item, field: { definition, callback }, target }: Value,
  { url, language }: RecordFacts,
): string {
  if (callback === 'node_url') return url;
  if (item.target_id !== undefined) return target?.label ?? '';
  const plain = textWithoutMarkup(item);
  if (plain !== undefined) return plain;
  // Dates as they were entered: the first one alone would say something else.
  const ofText = callback === 'edtf' ? undefined : callback;
  const [first] = types.of(definition).rdf(item, { definition, callback: ofText, language });
  if (first === undefined) return '';
  return '@id' in first ? first['@id'] : first['@value'];
}

/** Returns a fact about a value; undefined for a fact about its record. */
function factOfValue(
  types: FieldTypes,
  { item, field: { definition }, target, targetUrl, agent }: Value,
  text: string,
  fact: HarvestFact,
): string | undefined {
  switch (fact) {
    case 'value':
      return text;
    case 'uri':
      return targetUrl ?? target?.authorityUri ?? target?.externalUri ?? '';
    case 'address':
      return ADDRESS.test(text) ? text : '';
    case 'doi':
      return DOI.exec(text)?.[1] ?? '';
    case 'bundle':
      return target?.bundle ?? '';
    case 'role':
      return types.of(definition).role(item)?.split(':').at(-1) ?? '';
    case 'role_label': {
      const [labels = {}, role = ''] = [definition.relationTypes, types.of(definition).role(item)];
      return (Object.hasOwn(labels, role) ? labels[role] : undefined) ?? '';
    }
    case 'language':
      return LANGUAGE_CODE.exec(target?.authorityUri ?? target?.externalUri ?? '')?.[1] ?? '';
    case 'language_code':
      return languageCode(target);
    case 'language_or_label':
      return languageCode(target) || text;
    case 'edtf':
      return typeof item.value === 'string' ? item.value : '';
    case 'date_range':
      return dateRange(String(item.value ?? ''));
    case 'date_words':
      return dateRange(String(item.value ?? '')) === item.value ? '' : dateInWords(String(item.value ?? ''));
    case 'year':
      return YEAR.exec(firstDate(String(item.value ?? '')) ?? '')?.[0] ?? '';
    case 'latitude':
      return String(item.lat ?? '');
    case 'longitude':
      return String(item.lng ?? '');
    default:
      return factOfAgent(agent, fact);
  }
}

/** A field whose values a format contains. */
export interface MappedField {
  readonly definition: FieldDefinition;
  readonly callback: RdfCallback | undefined;
  /** The elements of a value whose role has none of its own. */
  readonly templates: readonly ElementTemplate[];
}

/**
 * Returns the fields of a node type that a format contains, in the order of the document: fields that the format names, and
 * fields with a predicate that it names.
 */
export function mappedFields(
  { rdf }: ContentModel,
  kind: ContentKind,
  { byField, byPredicate }: HarvestFormat,
  nodeType: string,
): MappedField[] {
  const bundle = kind.bundles.get(nodeType);
  const mapping = rdf.mappings.node.get(nodeType);
  const definitions = [...kind.baseFields.map(({ definition }) => definition), ...(bundle?.fields ?? [])];
  return definitions.flatMap((definition): MappedField[] => {
    const { name } = definition;
    const mapped = mapping?.fields.get(name);
    const templates = byField.get(name) ?? mapped?.predicates.flatMap((each) => byPredicate.get(each) ?? []) ?? [];
    const hasRoles = definition.relationTypes !== undefined && !byField.has(name);
    if (templates.length === 0 && !hasRoles) return [];
    return [{ definition, callback: mapped?.callback, templates }];
  });
}
