import { Type as t } from '@sinclair/typebox';

/** The shapes of `signposting`. Each `description` completes the sentence "x must be …" of an error message. */

const FIELD = t.String({ minLength: 1, description: 'the name of a field' });
const signposts = t.Array(t.Unknown(), { description: 'a list of fields and addresses' });

export const SignpostingBundleSchema = t.Object(
  {
    'cite-as': t.Optional(t.Array(FIELD, { description: 'a list of fields' })),
    author: t.Optional(signposts),
    type: t.Optional(signposts),
    license: t.Optional(signposts),
    collection: t.Optional(signposts),
    item: t.Optional(t.Unknown()),
  },
  { additionalProperties: false, description: 'a map of relations to fields' },
);

export const SignpostSchema = t.String({
  minLength: 1,
  description: 'the name of a field, an address, or a map with field',
});

export const RelationSignpostSchema = t.Object(
  {
    field: FIELD,
    relations: t.Optional(
      t.Array(t.String({ minLength: 1, description: 'a relation type, such as relators:aut' }), {
        minItems: 1,
        description: 'a list of relation types, such as [relators:aut]',
      }),
    ),
  },
  { additionalProperties: false, description: 'a map with at least field' },
);

export const ItemWordSchema = t.Union([t.Literal('all'), t.Literal('none')], {
  description: 'all, none, or a list of the URIs of media uses',
});
export const ItemUsesSchema = t.Array(
  t.String({
    pattern: '^[A-Za-z][A-Za-z0-9+.-]*:[^\\s]+$',
    description: 'a URI, such as http://pcdm.org/use#OriginalFile',
  }),
  { description: 'a list of the URIs of media uses' },
);
