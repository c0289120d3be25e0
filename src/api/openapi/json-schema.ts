import { unwrapSchema } from '@elysiajs/openapi/openapi';
import type { TSchema } from '@sinclair/typebox';
import type { HeaderName } from '../../web/openapi/headers.ts';

export const OPENAPI_VERSION = '3.1.0';

/** A JSON object of the OpenAPI or JSON Schema specification. */
export type Json = Record<string, unknown>;

/** Returns a schema as JSON Schema for OpenAPI. */
export function jsonSchema(schema: TSchema): Json {
  return unwrapSchema(schema, undefined, 'output', OPENAPI_VERSION) as unknown as Json;
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
