import type { JsonValue } from '../base/json.ts';
import type { FieldDefinition, Item, RdfCallback } from '../model/content-model.ts';
import { isoSeconds, isTellable } from './epoch-seconds.ts';
import { firstDate } from './first-date.ts';

/** A value of a predicate in JSON-LD. */
export type RdfValue =
  | { readonly '@id': string }
  | { readonly '@value': string; readonly '@type': string }
  | { readonly '@value': string; readonly '@language': string };

/** The mapping of a field, and the language of the entity. */
export interface RdfRequest {
  readonly definition: FieldDefinition;
  readonly callback: RdfCallback | undefined;
  readonly language: string;
}

/** Returns the literals of a value that is neither missing nor empty. */
type ToLiterals = (value: string | number | boolean, request: RdfRequest) => RdfValue[];

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const MAX_INT = 2_147_483_647;
const MIN_INT = -2_147_483_648;

/** Characters that are invalid in an IRI (RFC 3987): parsers drop the value. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters.
const NOT_IN_IRIS = /[\u0000-\u0020<>"{}|\\^`\u007f]/g;

/** Returns an address as an IRI with invalid characters percent-encoded. */
export function iriOf(address: string): string {
  return address.search(NOT_IN_IRIS) < 0 ? address : address.replace(NOT_IN_IRIS, encodeURIComponent);
}

/** Returns a literal of a datatype of XML Schema. */
export function typedLiteral(text: string, datatype: string): RdfValue {
  return { '@value': text, '@type': XSD + datatype };
}

/** Returns a literal without language. */
export function plainLiteral(text: string): RdfValue {
  return typedLiteral(text, 'string');
}

export const asPlain: ToLiterals = (value) => [plainLiteral(String(value))];

/** Text in the language of the entity. */
export const asText: ToLiterals = (value, { definition: { translatable }, language }) => [
  translatable ? { '@value': String(value), '@language': language } : plainLiteral(String(value)),
];

/** Literals of a datatype of XML Schema. */
export const asTyped =
  (datatype: string): ToLiterals =>
  (value) => [typedLiteral(String(value), datatype)];

/** Whole numbers. File sizes may need 64 bits, and triple stores reject a literal outside its datatype. */
export const asInteger: ToLiterals = (value) => {
  const isLong = typeof value === 'number' && Number.isInteger(value) && (value > MAX_INT || value < MIN_INT);
  return [typedLiteral(String(value), isLong ? 'long' : 'int')];
};

/**
 * Returns the literals of a value, from the callback of the mapping or else from the type. None for an empty value, and if
 * the callback returns none.
 */
export function literalsOf(value: JsonValue | undefined, request: RdfRequest, ofType: ToLiterals): RdfValue[] {
  if (value === null || value === undefined || value === '' || typeof value === 'object') return [];
  const { callback } = request;
  if (callback === 'edtf') {
    const first = firstDate(String(value));
    return first === undefined ? [] : [plainLiteral(first)];
  }
  if (callback === 'iso8601' && typeof value === 'number')
    return isTellable(value) ? [typedLiteral(isoSeconds(value), 'dateTime')] : [];
  return ofType(value, request);
}

/** Returns the `rdf` of a type with a main member. */
export function rdfOfValue(ofType: ToLiterals, member = 'value') {
  return (item: Item, request: RdfRequest): RdfValue[] => literalsOf(item[member], request, ofType);
}
