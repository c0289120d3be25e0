import { type TProperties, type TSchema, Type as t } from '@sinclair/typebox';

/** The members of OpenAPI 3.1 that our document uses: any other member is an error. */

const closed = (properties: TProperties) => t.Object(properties, { additionalProperties: false });
const text = t.String({ minLength: 1 });
const mapOf = (schema: TSchema, pattern = '^.+$') =>
  t.Record(t.String({ pattern }), schema, { additionalProperties: false });
const refTo = (part: string) => closed({ $ref: t.String({ pattern: `^#/components/${part}/[\\w.-]+$` }) });
/** JSON Schema is checked by a validator of it. */
const schema = t.Record(t.String(), t.Unknown());
const content = mapOf(closed({ schema }), '^[\\w*.+-]+/[\\w*.+-]+$');
const NAME = '^[a-zA-Z0-9._-]+$';

const header = closed({ description: text, required: t.Boolean(), schema });
const response = closed({
  description: text,
  headers: t.Optional(mapOf(refTo('headers'))),
  content: t.Optional(content),
});
const pathParameter = closed({ name: text, in: t.Literal('path'), required: t.Literal(true), schema });
const otherParameter = closed({
  name: text,
  in: t.Union([t.Literal('query'), t.Literal('header')]),
  required: t.Boolean(),
  schema,
});
const operation = closed({
  operationId: t.String({ pattern: '^[a-z][A-Za-z]+$' }),
  summary: text,
  description: t.Optional(text),
  tags: t.Array(text, { minItems: 1 }),
  parameters: t.Optional(t.Array(t.Union([pathParameter, otherParameter]))),
  requestBody: t.Optional(closed({ required: t.Boolean(), content })),
  responses: mapOf(t.Union([response, refTo('responses')]), '^[1-5]\\d\\d$'),
  security: t.Array(t.Record(t.String(), t.Array(t.String(), { maxItems: 0 }))),
});
const securityScheme = t.Union([
  closed({ type: t.Literal('http'), scheme: text, bearerFormat: t.Optional(text), description: text }),
  closed({
    type: t.Literal('apiKey'),
    in: t.Union([t.Literal('cookie'), t.Literal('header')]),
    name: text,
    description: text,
  }),
]);

export const OpenApiDocument = closed({
  openapi: t.String({ pattern: '^3\\.1\\.\\d+$' }),
  info: closed({
    title: text,
    version: t.String({ pattern: '^\\d+\\.\\d+\\.\\d+$' }),
    summary: text,
    description: text,
    license: closed({ name: text, identifier: text }),
  }),
  servers: t.Array(closed({ url: t.String({ pattern: '^https?://' }) }), { minItems: 1 }),
  tags: t.Array(closed({ name: text, description: text })),
  paths: mapOf(mapOf(operation, '^(get|head|post|put|patch|delete|options)$'), '^/[^*:]*$'),
  components: closed({
    schemas: mapOf(schema, NAME),
    headers: mapOf(header, NAME),
    responses: mapOf(response, NAME),
    securitySchemes: mapOf(securityScheme, NAME),
  }),
});
