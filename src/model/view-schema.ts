import { Type as t } from '@sinclair/typebox';
import { VIEW_OPERATORS, VIEW_TYPES } from './content-model.ts';
import { AUTHENTICATION_TYPES } from './rest.ts';

/** The schemas of `views`. Each `description` completes the sentence "x must be …" of an error message. */

const FIELD = t.String({ minLength: 1, description: 'the name of a field, such as title or field_identifier' });
/** A choice of values. */
export const oneOf = (values: readonly string[]) =>
  t.Union(
    values.map((value) => t.Literal(value)),
    { description: `one of ${values.join(', ')}` },
  );

const MAX_PAGE_SIZE = 1_000;

export const ViewSchema = t.Object(
  {
    path: t.String({
      // Clients resolve segments "." and ".." before they send a request.
      pattern: '^(/(?!\\.{1,2}(/|$))[A-Za-z0-9_.~-]+)+$',
      description: 'a path of letters, digits and -_.~, such as /find/by_identifier',
    }),
    entity_type: oneOf(VIEW_TYPES),
    bundles: t.Optional(
      t.Array(t.String({ minLength: 1, description: 'the name of a bundle' }), {
        minItems: 1,
        description: 'a list of bundles; left out for all',
      }),
    ),
    filters: t.Optional(
      t.Record(t.String(), t.Unknown(), { description: 'a map of query parameters to what they are compared with' }),
    ),
    fixed: t.Optional(t.Array(t.Unknown(), { description: 'a list of filters, each with field and value' })),
    order: t.Optional(
      t.Array(
        t.String({
          pattern: '^[a-z][a-z0-9_.]*( (asc|desc))?$',
          description: 'the name of a field, with asc or desc if you like, such as created desc',
        }),
        { minItems: 1, description: 'a list of fields, such as [created desc, title]' },
      ),
    ),
    page_size: t.Optional(
      t.Integer({ minimum: 1, maximum: MAX_PAGE_SIZE, description: `a whole number from 1 to ${MAX_PAGE_SIZE}` }),
    ),
    fields: t.Optional(t.Array(FIELD, { minItems: 1, description: 'a list of fields, such as [nid, title]' })),
    permission: t.Optional(t.String({ minLength: 1, description: 'the name of a permission' })),
    authentication: t.Optional(
      t.Array(oneOf(AUTHENTICATION_TYPES), {
        minItems: 1,
        description: `a list of ${AUTHENTICATION_TYPES.join(', ')}`,
      }),
    ),
  },
  { additionalProperties: false, description: 'a list: a map with at least path and entity_type' },
);

const operator = t.Optional(oneOf(VIEW_OPERATORS));

export const ExposedFilterSchema = t.Object(
  { field: FIELD, operator, required: t.Optional(t.Boolean({ description: 'true or false' })) },
  { additionalProperties: false, description: 'a filter: a map with at least field' },
);

export const FixedFilterSchema = t.Object(
  {
    field: FIELD,
    operator,
    value: t.Union([t.String({ minLength: 1 }), t.Number(), t.Boolean()], {
      description: 'text, a number, or true or false',
    }),
  },
  { additionalProperties: false, description: 'a filter: a map with field and value' },
);
