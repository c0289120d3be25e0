import { unwrapSchema } from '@elysiajs/openapi/openapi';
import type { TSchema } from '@sinclair/typebox';
import type { HeaderName } from '../../web/openapi/headers.ts';

export const OPENAPI_VERSION = '3.1.0';

/** A JSON object of the OpenAPI or JSON Schema specification. */
export type Json = Record<string, unknown>;

/** Returns a schema as JSON Schema for OpenAPI, in the words that generators of clients understand (decision 98). */
export function jsonSchema(schema: TSchema): Json {
  return forGenerators(unwrapSchema(schema, undefined, 'output', OPENAPI_VERSION)) as Json;
}

/** The members of a schema that describe it, and restrict no value. */
const ANNOTATIONS: ReadonlySet<string> = new Set(['title', 'description', 'default', 'readOnly', 'writeOnly']);

/** Replaces lists of types by alternatives with one type each, and patterns of all names by `additionalProperties`. */
function forGenerators(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forGenerators);
  if (typeof value !== 'object' || value === null) return value;
  const { type, patternProperties, ...rest } = mapValues(value as Json, forGenerators);
  const map =
    patternProperties === undefined ? {} : { additionalProperties: Object.values(patternProperties as Json)[0] };
  if (!Array.isArray(type)) return { ...rest, ...map, ...(type !== undefined && { type }) };
  const entries = Object.entries(rest);
  const restrictions = Object.fromEntries(entries.filter(([name]) => !ANNOTATIONS.has(name)));
  return {
    ...Object.fromEntries(entries.filter(([name]) => ANNOTATIONS.has(name))),
    anyOf: type.map((each) => (each === 'null' ? { type: each } : { type: each, ...restrictions, ...map })),
  };
}

/** Returns the `content` of a body: its schemas by media type. */
export function contentOf(content: Readonly<Record<string, TSchema>>): Record<string, { schema: Json }> {
  return Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema: jsonSchema(schema) }]));
}

/** Returns references to headers among the components, by name. */
export function headerReferences(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Returns an object with the same names and mapped values. */
export function mapValues<From, To>(
  entries: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, map(value)]));
}
