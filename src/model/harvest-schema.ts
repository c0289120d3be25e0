import { Type as t } from '@sinclair/typebox';
import { mapOf } from '../base/schema-parts.ts';

/** The schemas of `harvest`. Each `description` completes the sentence "x must be …" of an error message. */

const NAME = '[A-Za-z_][A-Za-z0-9_.-]*';
/** The name of an element or attribute, with an optional prefix. */
export const QUALIFIED_NAME = new RegExp(`^(?:(${NAME}):)?${NAME}$`);
/** The elements from the top to the one with the value. */
export const PATH = new RegExp(`^(?:${NAME}:)?${NAME}(?:/(?:${NAME}:)?${NAME})*$`);

const MEDIA_TYPE = /^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*\/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*$/;

const address = t.String({ pattern: '^[A-Za-z][A-Za-z0-9+.-]*:[^\\s<>"]+$', description: 'an absolute address' });
const elementName = (description: string) => t.String({ pattern: QUALIFIED_NAME.source, description });
const elementNames = t.Optional(
  t.Array(elementName('the name of an element'), { description: 'a list of names of elements' }),
);
const words = t.Record(t.String(), t.String({ description: 'text' }), { description: 'a map of texts' });

export const HarvestSchema = t.Object(
  {
    node_types: t.Array(t.String({ minLength: 1, description: 'the name of a node type' }), {
      description: 'a list of node types, such as [islandora_object]',
    }),
    tables: t.Optional(mapOf('a map of tables')),
    formats: mapOf('a map of formats'),
  },
  { additionalProperties: false, description: 'a map with node_types, tables and formats' },
);

export const HarvestTableSchema = t.Record(t.String(), t.String({ description: 'text' }), {
  description: 'a map of words to words',
});

export const HarvestFormatSchema = t.Object(
  {
    element: elementName('the name of an element, such as mods'),
    namespace: address,
    schema: address,
    media_type: t.Optional(
      t.String({ pattern: MEDIA_TYPE.source, description: 'a media type, such as application/mods+xml' }),
    ),
    namespaces: t.Optional(t.Record(t.String(), address, { description: 'a map of prefixes to addresses' })),
    attributes: t.Optional(words),
    merged: elementNames,
    single: elementNames,
    elements: mapOf('a map of fields and predicates to elements'),
    files: t.Optional(t.Unknown()),
    access: t.Optional(t.Unknown()),
    defaults: t.Optional(mapOf('a map of elements')),
  },
  { additionalProperties: false, description: 'a format: a map with at least element, namespace, schema and elements' },
);
