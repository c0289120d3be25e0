import type { JsonValue } from '../base/json.ts';
import type { FieldDefinition, Item, RdfCallback } from '../model/content-model.ts';
import { isoSeconds, isTellable } from './epoch-seconds.ts';
import { firstDate } from './first-date.ts';

/** A value of a predicate as JSON-LD writes it. */
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
export type ToLiterals = (value: string | number | boolean, request: RdfRequest) => RdfValue[];

const XSD = 'http://www.w3.org/2001/XMLSchema#';
const MAX_INT = 2_147_483_647;
const MIN_INT = -2_147_483_648;

/** All characters that an IRI must not hold (RFC 3987): parsers drop a value with one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
const NOT_IN_IRIS = /[\u0000-\u0020<>"{}|\\^`\u007f]/g;

/** Returns an address as an IRI: characters that it must not hold are percent-encoded. */
export function iriOf(address: string): string {
  return address.search(NOT_IN_IRIS) < 0 ? address : address.replace(NOT_IN_IRIS, encodeURIComponent);
}

/** Returns a literal of a datatype of XML Schema. */
export function typedLiteral(text: string, datatype: string): RdfValue {
  return { '@value': text, '@type': XSD + datatype };
}

/** Returns a literal of no language. */
export function plainLiteral(text: string): RdfValue {
  return typedLiteral(text, 'string');
}

export const asPlain: ToLiterals = (value) => [plainLiteral(String(value))];

/** Text that people write in a language. */
export const asText: ToLiterals = (value, { definition: { translatable }, language }) => [
  translatable ? { '@value': String(value), '@language': language } : plainLiteral(String(value)),
];

/** Literals of one datatype of XML Schema. */
export const asTyped =
  (datatype: string): ToLiterals =>
  (value) => [typedLiteral(String(value), datatype)];

/** Whole numbers. A size of a file may need 64 bits, and triple stores refuse a literal outside its datatype. */
export const asInteger: ToLiterals = (value) => {
  const isLong = typeof value === 'number' && Number.isInteger(value) && (value > MAX_INT || value < MIN_INT);
  return [typedLiteral(String(value), isLong ? 'long' : 'int')];
};

/**
 * Returns the literals of a value: those of the mapping's callback if it has one for values, otherwise those of the
 * type. None for an empty value, and where the callback finds nothing in it.
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

/** Makes the RDF face of a type whose value is the member `value`. */
export function rdfOfValue(ofType: ToLiterals, member = 'value') {
  return (item: Item, request: RdfRequest): RdfValue[] => literalsOf(item[member], request, ofType);
}
