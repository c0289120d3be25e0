import type { JsonValue } from '../base/json.ts';
import { isoSeconds, isTellable } from '../fields/epoch-seconds.ts';
import { datePrecision, firstDate } from '../fields/first-date.ts';
import type { FieldDefinition, FieldTypeName, RdfCallback } from '../model/content-model.ts';

/** A value of a predicate as JSON-LD writes it. */
export type GraphValue =
  | { readonly '@id': string }
  | { readonly '@value': string; readonly '@type': string }
  | { readonly '@value': string; readonly '@language': string };

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const XSD_STRING = `${XSD}string`;
const XSD_DATE_TIME = `${XSD}dateTime`;

/** The datatypes of the types whose values are not text (spec: rest-behaviour, 7). */
const DATATYPES: Readonly<Partial<Record<FieldTypeName, string>>> = {
  created: XSD_DATE_TIME,
  changed: XSD_DATE_TIME,
  timestamp: XSD_DATE_TIME,
  boolean: `${XSD}boolean`,
  integer: `${XSD}int`,
  decimal: `${XSD}decimal`,
  float: `${XSD}float`,
  language: `${XSD}language`,
  path: `${XSD}anyURI`,
  uri: `${XSD}anyURI`,
};

/** What people write in a language. */
const TEXT_TYPES: ReadonlySet<FieldTypeName> = new Set([
  'string',
  'string_long',
  'text',
  'text_long',
  'text_with_summary',
  'list_string',
  'textfield_attr',
  'textarea_attr',
]);

const MAX_INT = 2_147_483_647;
const MIN_INT = -2_147_483_648;

/** Whatever is not allowed in an IRI (RFC 3987): parsers drop a value with it, or stumble over it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
const NOT_IN_IRIS = /[\u0000-\u0020<>"{}|\\^`\u007f]/g;

/** An address as an IRI: what may not stand in one is percent-encoded. */
export function iriOf(address: string): string {
  return address.search(NOT_IN_IRIS) < 0 ? address : address.replace(NOT_IN_IRIS, encodeURIComponent);
}

/** Text of no language, as the addresses that stand in place of a value. */
export function plainLiteral(text: string): GraphValue {
  return { '@value': text, '@type': XSD_STRING };
}

/**
 * The literals of one value of a field: text in its language or typed, everything else typed and written as text;
 * of a date in EDTF two, as it is and, if there is such a date, its first date (model, "extra_rules"). None for
 * an empty value, and for what the callback makes nothing of.
 */
export function literalsOf(
  value: JsonValue | undefined,
  definition: FieldDefinition,
  callback: RdfCallback | undefined,
  language: string,
): GraphValue[] {
  if (value === null || value === undefined || value === '' || typeof value === 'object') return [];
  const { type, translatable } = definition;
  if (callback === 'edtf' || type === 'edtf') return dateLiterals(String(value), callback, type);
  if (callback === 'iso8601' && typeof value === 'number') {
    return isTellable(value) ? [{ '@value': isoSeconds(value), '@type': XSD_DATE_TIME }] : [];
  }
  const datatype = DATATYPES[type];
  if (datatype !== undefined) return [{ '@value': String(value), '@type': fitting(datatype, value) }];
  const isInLanguage = translatable && TEXT_TYPES.has(type);
  return [isInLanguage ? { '@value': String(value), '@language': language } : plainLiteral(String(value))];
}

/** Sizes of files go beyond 32 bit, and a literal outside of its datatype is refused by triple stores. */
function fitting(datatype: string, value: JsonValue): string {
  const isLong = typeof value === 'number' && Number.isInteger(value) && (value > MAX_INT || value < MIN_INT);
  return isLong && datatype === DATATYPES.integer ? `${XSD}long` : datatype;
}

function dateLiterals(edtf: string, callback: RdfCallback | undefined, type: FieldTypeName): GraphValue[] {
  const first = firstDate(edtf);
  const plain = callback === 'edtf' ? first : edtf;
  if (plain === undefined) return [];
  const precision = first === undefined || type !== 'edtf' ? undefined : datePrecision(first);
  if (first === undefined || precision === undefined) return [plainLiteral(plain)];
  return [plainLiteral(plain), { '@value': first, '@type': XSD + precision }];
}
