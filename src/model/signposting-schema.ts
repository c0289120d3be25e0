import { Type as t } from '@sinclair/typebox';

/** The shapes of `signposting`. Each `description` completes the sentence "x must be …" of an error message. */

const list = t.Array(t.Unknown(), { description: 'a list of fields and addresses' });

export const SignpostingBundleSchema = t.Object(
  {
    'cite-as': t.Optional(
      t.Array(t.String({ minLength: 1, description: 'the name of a field' }), { description: 'a list of fields' }),
    ),
    author: t.Optional(list),
    type: t.Optional(list),
    license: t.Optional(list),
    collection: t.Optional(list),
    item: t.Optional(t.Unknown()),
  },
  { additionalProperties: false, description: 'a map of relations to fields' },
);

export const SignpostSchema = t.String({
  minLength: 1,
  description: 'the name of a field, an address, or a map with field and relations',
});

export const SignpostFieldSchema = t.Object(
  {
    field: t.String({ minLength: 1, description: 'the name of a field' }),
    relations: t.Optional(
      t.Array(t.String({ minLength: 1, description: 'a relation type, such as relators:aut' }), {
        minItems: 1,
        description: 'a list of relation types, such as [relators:aut]',
      }),
    ),
  },
  { additionalProperties: false, description: 'a map with at least field' },
);

export const ItemSchema = t.Union(
  [
    t.Literal('all'),
    t.Literal('none'),
    t.Array(t.String({ pattern: '^https?://[^\\s/]', description: 'an address, such as http://pcdm.org/use#OriginalFile' })),
  ],
  { description: 'all, none, or a list of the URIs of media uses' },
);
