import { Type as t } from '@sinclair/typebox';
import type { ConfigReader } from '../base/config-reader.ts';
import { closed, mapOf } from '../base/schema-parts.ts';

export const AUTHENTICATION_TYPES = ['basic_auth', 'jwt_auth', 'cookie'] as const;
export type AuthenticationType = (typeof AUTHENTICATION_TYPES)[number];

export const REST_METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;
export type RestMethod = (typeof REST_METHODS)[number];

const REST_FORMATS = ['json', 'jsonld'] as const;
type RestFormat = (typeof REST_FORMATS)[number];

/** The authentication types of a method of a resource, by format (spec: repository, "Authentication"). */
type MethodAccess = Readonly<Partial<Record<RestFormat, readonly AuthenticationType[]>>>;
export type ResourceAccess = Readonly<Partial<Record<RestMethod, MethodAccess>>>;

const FORMATS = `a map of formats (${REST_FORMATS.join(', ')})`;
const ResourceSchema = closed(
  Object.fromEntries(REST_METHODS.map((method) => [method, t.Optional(mapOf(FORMATS))])),
  `a map of methods (${REST_METHODS.join(', ')})`,
);
const MethodSchema = closed(
  Object.fromEntries(
    REST_FORMATS.map((format) => [
      format,
      t.Optional(
        t.Array(
          t.Union(
            AUTHENTICATION_TYPES.map((type) => t.Literal(type)),
            { description: `one of ${AUTHENTICATION_TYPES.join(', ')}` },
          ),
          { minItems: 1, description: `a list of ${AUTHENTICATION_TYPES.join(', ')}` },
        ),
      ),
    ]),
  ),
  FORMATS,
);

/** Reads the authentication types of resources (spec: repository, "Authentication"). `known` are all names. */
export function parseRest(
  reader: ConfigReader,
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
): Map<string, ResourceAccess> {
  const rest = new Map<string, ResourceAccess>();
  for (const [resource, methods] of Object.entries(value)) {
    const path = ['rest', resource];
    if (!known.includes(resource)) reader.reportUnknown(path, 'REST resource', resource, known);
    const access: Record<string, MethodAccess> = {};
    for (const [method, formats] of Object.entries(reader.map(ResourceSchema, methods, path))) {
      const byFormat = reader.map(MethodSchema, formats, [...path, method]);
      access[method] = byFormat as Record<string, AuthenticationType[]>;
    }
    rest.set(resource, access);
  }
  return rest;
}
