import { edtfProblem } from '../field-types/edtf-syntax.ts';
import { ALTERNATIVE_NAME_FIELDS } from '../model/alternative-names.ts';
import type { FieldDefinition, FieldValues, Vocabulary } from '../model/content-model.ts';
import { TERM_DATE_FIELDS } from '../model/term-dates.ts';
import { type AuthorityRecord, namesOf } from './authority-record.ts';
import { OTHER_SOURCE, sourcesOf } from './vocabulary-kinds.ts';

/** Other names that a term takes over. */
const MAX_OTHER_NAMES = 100;

/** Returns the values of a new term with the name, the URI, the other names and the dates of a record. */
export function termValues(vocabulary: Vocabulary, record: AuthorityRecord, source: string): FieldValues {
  const values: FieldValues = { name: [{ value: record.label }] };
  const link = linkOf(vocabulary, record, source);
  if (link !== undefined) Object.assign(values, link);
  const others = ALTERNATIVE_NAME_FIELDS.map((name) => vocabulary.fieldNamed.get(name)).find((field) => field);
  const names = others === undefined ? [] : otherNames(record, others);
  if (others !== undefined && names.length > 0) values[others.name] = names.map((value) => ({ value }));
  for (const date of ['dateBegin', 'dateEnd'] as const) {
    const name = TERM_DATE_FIELDS[date];
    const value = edtfOf(record[date]);
    if (value !== undefined && vocabulary.fieldNamed.has(name)) values[name] = [{ value }];
  }
  return values;
}

function linkOf(vocabulary: Vocabulary, { uri, label }: AuthorityRecord, source: string): FieldValues | undefined {
  const { uriField } = vocabulary;
  const title = label.slice(0, 255);
  if (uriField === 'field_external_uri') return { field_external_uri: [{ uri, title, options: [] }] };
  const sources = sourcesOf(vocabulary);
  if (uriField === undefined || sources === undefined) return undefined;
  const known = [source, OTHER_SOURCE].find((name) => Object.hasOwn(sources, name)) ?? null;
  return { [uriField]: [{ source: known, uri, title, options: [] }] };
}

function otherNames(record: AuthorityRecord, { cardinality, maxLength = Number.POSITIVE_INFINITY }: FieldDefinition) {
  const limit = cardinality < 0 ? MAX_OTHER_NAMES : Math.min(cardinality, MAX_OTHER_NAMES);
  return namesOf(record)
    .filter((name) => name !== record.label && [...name].length <= maxLength)
    .slice(0, limit);
}

/** Returns a date as EDTF, or else its year. Undefined for a text without one. */
function edtfOf(date: string | undefined): string | undefined {
  if (date === undefined) return undefined;
  if (edtfProblem(date) === undefined) return date;
  return /(?<!\d)\d{4}(?!\d)/.exec(date)?.[0];
}

/** Returns the years of a record, `1835–1910`; empty without dates. */
export function yearsText({ dateBegin, dateEnd }: Pick<AuthorityRecord, 'dateBegin' | 'dateEnd'>): string {
  const [begin, end] = [dateBegin, dateEnd].map((date) => /^-?\d{1,4}/.exec(date ?? '')?.[0] ?? date ?? '');
  return begin === '' && end === '' ? '' : `${begin}–${end}`;
}
