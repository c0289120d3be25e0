import { Type as t } from '@sinclair/typebox';
import type { Rule } from '../base/merge-files.ts';
import { closed, flag, mapOf, text } from '../base/schema-parts.ts';
import { FIELD_GROUP_RULES } from './field-group-schema.ts';

/**
 * The schemas of the parts of a model file. Each is one level deep, so that a message can list the known keys.
 * Each `description` completes the sentence "x must be …" of an error message.
 */

const texts = (description: string, minItems = 0) =>
  t.Array(t.String({ minLength: 1, description: 'text' }), { minItems, description });
const labels = (description: string) =>
  t.Record(t.String(), t.String({ description: 'text' }), { minProperties: 1, description });
const namedOrLabels = (description: string) => t.Union([t.String(), labels(description)], { description });

export const ModelFileSchema = t.Object(
  {
    default_language: text('a language code, such as en'),
    languages: texts('a list of language codes, such as [en, und]', 1),
    fallback_format: text('the name of a text format'),
    text_formats: mapOf('a map of text formats'),
    lists: mapOf('a map of lists'),
    node_types: mapOf('a map of node types'),
    media_types: mapOf('a map of media types'),
    vocabularies: mapOf('a map of vocabularies'),
    paragraph_types: t.Optional(mapOf('a map of paragraph types')),
    user_fields: mapOf('a map of fields'),
    terms: mapOf('a map of vocabulary names to terms'),
    roles: mapOf('a map of roles'),
    access_presets: mapOf('a map of access presets'),
    rest: mapOf('a map of REST resources'),
    rdf: mapOf('a map with prefixes and bundles'),
    signposting: mapOf('a map of bundles, such as node.page'),
    harvest: mapOf('a map with node_types, tables and formats'),
    views: mapOf('a map of lists'),
    search: mapOf('a map with weights, fields and facets'),
    models: mapOf('a map of models of items'),
  },
  { additionalProperties: false, description: 'a map of configuration keys' },
);

/** The places of a field on pages. The first one is the default. */
const FIELD_PLACEMENTS = ['row', 'description', 'none'] as const;
export type FieldPlacement = (typeof FIELD_PLACEMENTS)[number];

export const ListSchema = labels('a map of values to labels');

const bundle = {
  label: text('text for people to read'),
  new_revision: t.Optional(flag()),
  fields: t.Optional(mapOf('a map of machine names to fields')),
};
const arranged = {
  ...bundle,
  form: t.Optional(mapOf('a map with groups, order, not_offered, labels and help')),
  display: t.Optional(mapOf('a map with groups, order and labels')),
};

export const NodeTypeSchema = t.Object(
  { ...arranged, display_submitted: t.Optional(flag()), promote: t.Optional(flag()) },
  { additionalProperties: false, description: 'a node type: a map with at least label' },
);

const MEDIA_SOURCES = ['image', 'audio_file', 'video_file', 'file', 'remote_video'] as const;
export const MediaTypeSchema = t.Object(
  {
    ...arranged,
    source: t.Union(
      MEDIA_SOURCES.map((source) => t.Literal(source)),
      { description: `one of ${MEDIA_SOURCES.join(', ')}` },
    ),
    source_field: text('the name of the field that holds the source'),
    auto_filled: t.Optional(
      t.Record(t.String(), t.String({ description: 'the name of a field' }), {
        description: 'a map of source attributes to fields',
      }),
    ),
  },
  { additionalProperties: false, description: 'a media type: a map with label, source and source_field' },
);

export const VocabularySchema = t.Object(
  {
    ...arranged,
    noun: t.Optional(text('the word for one of its terms, such as person')),
    uri_field: t.Optional(
      t.Union([t.Literal('field_external_uri'), t.Literal('field_authority_link')], {
        description: 'field_external_uri or field_authority_link',
      }),
    ),
  },
  { additionalProperties: false, description: 'a vocabulary: a map with at least label' },
);

export const ParagraphTypeSchema = closed(bundle, 'a paragraph type: a map with at least label');

const wholeNumber = (minimum: number) =>
  t.Integer({ minimum, maximum: Number.MAX_SAFE_INTEGER, description: `a whole number of at least ${minimum}` });

export const FieldSchema = t.Object(
  {
    label: text('text for people to read'),
    type: text('the name of a field type'),
    cardinality: t.Optional(
      t.Union([t.Literal('unlimited'), t.Literal(-1), t.Integer({ minimum: 1, maximum: 1000 })], {
        description: 'a whole number from 1 to 1000, or unlimited',
      }),
    ),
    required: t.Optional(flag()),
    translatable: t.Optional(flag()),
    default_value: t.Optional(
      t.Array(t.Record(t.String(), t.Unknown(), { description: 'an item, such as { value: text }' }), {
        description: 'a list of items, such as [{ value: text }]',
      }),
    ),
    shown_as: t.Optional(
      t.Union(
        FIELD_PLACEMENTS.map((place) => t.Literal(place)),
        { description: `one of ${FIELD_PLACEMENTS.join(', ')}` },
      ),
    ),
    max_length: t.Optional(wholeNumber(1)),
    size: t.Optional(
      t.Union([t.Literal('normal'), t.Literal('big')], { description: 'normal (32 bit) or big (64 bit)' }),
    ),
    unsigned: t.Optional(flag()),
    min: t.Optional(t.Number({ description: 'a number' })),
    max: t.Optional(t.Number({ description: 'a number' })),
    target_type: t.Optional(text('the type of the targets, such as taxonomy_term')),
    target_bundles: t.Optional(texts('a list of bundles; left out for any', 1)),
    auto_create: t.Optional(flag()),
    auto_create_bundle: t.Optional(text('the name of a bundle')),
    rel_types: t.Optional(namedOrLabels('the name of a list, or a map of relation types to labels')),
    authority_sources: t.Optional(texts('a list of authority sources', 1)),
    link_type: t.Optional(t.Union([t.Literal('any'), t.Literal('external')], { description: 'any or external' })),
    allowed_values: t.Optional(namedOrLabels('the name of a list, or a map of values to labels')),
    file_extensions: t.Optional(
      t.Array(
        t.String({ pattern: '^[a-z0-9]{1,16}$', description: 'lower-case letters and digits, without the dot' }),
        {
          minItems: 1,
          description: 'a list of file extensions, such as [jpg, png]',
        },
      ),
    ),
    uri_scheme: t.Optional(
      t.String({ pattern: '^[a-z][a-z0-9+.-]{0,31}$', description: 'a scheme, such as public or fedora' }),
    ),
    file_directory: t.Optional(t.String({ description: 'a folder, such as "[date:custom:Y]-[date:custom:m]"' })),
    max_file_bytes: t.Optional(wholeNumber(1)),
    alt_field_required: t.Optional(flag()),
    must_be_image: t.Optional(flag()),
  },
  { additionalProperties: false, description: 'a field: a map with label and type' },
);

export const RoleSchema = t.Object(
  {
    label: text('text for people to read'),
    is_admin: t.Optional(flag()),
    permissions: t.Optional(texts('a list of permissions')),
  },
  { additionalProperties: false, description: 'a role: a map with at least label' },
);

export const TermSetSchema = t.Object(
  {
    list: t.Optional(text('the name of a built-in list')),
    source: t.Optional(text('an authority source')),
    terms: t.Optional(t.Array(t.Unknown(), { description: 'a list of terms' })),
  },
  { additionalProperties: false, description: 'a map with terms, or with list' },
);
export const TermSchema = t.Object(
  {
    name: t.String({ minLength: 1, maxLength: 255, description: 'text of at most 255 characters' }),
    uri: t.Optional(text('an absolute address')),
    source: t.Optional(text('an authority source')),
    parent: t.Optional(text('the name of another term')),
    code: t.Optional(text('text')),
    description: t.Optional(text('text')),
  },
  { additionalProperties: false, description: 'a term: a map with at least name' },
);

/** An IRI, or a prefix and a name, without characters that IRIs exclude (RFC 3987). */
const iri = (description: string) =>
  t.String({ pattern: '^[A-Za-z][A-Za-z0-9+._-]*:[^\\s<>"{}|\\\\^`]+$', description });
export const RdfTypeSchema = iri('a class, such as pcdm:Object');
export const RdfPredicateSchema = iri('a predicate, such as dcterms:title');
export const RdfSchema = closed(
  {
    prefixes: t.Optional(mapOf('a map of prefixes to addresses')),
    bundles: t.Optional(mapOf('a map of bundles, such as node.page')),
  },
  'a map with prefixes and bundles',
);
export const RdfNamespaceSchema = iri('an absolute address, such as http://purl.org/dc/terms/');
export const RdfBundleSchema = t.Object(
  {
    types: t.Array(t.Unknown(), { minItems: 1, description: 'a list of at least one class, such as [pcdm:Object]' }),
    fields: t.Optional(mapOf('a map of fields to predicates')),
  },
  { additionalProperties: false, description: 'a map with at least types' },
);
export const RdfFieldSchema = t.Object(
  {
    predicates: t.Unknown({ description: 'a predicate, such as dcterms:title, or a list of them' }),
    callback: t.Optional(text('the name of a callback')),
  },
  { additionalProperties: false, description: 'a predicate, a list of them, or a map with predicates' },
);

const BUNDLES: Rule = { each: { members: { fields: { each: 'field' }, ...FIELD_GROUP_RULES } } };

/** The rule by which the user's content model is merged over the default one. */
export const MODEL_MERGE_RULE: Rule = {
  members: {
    text_formats: { each: 'replace' },
    lists: { each: { each: 'replace' } },
    node_types: BUNDLES,
    media_types: BUNDLES,
    vocabularies: BUNDLES,
    paragraph_types: BUNDLES,
    user_fields: { each: 'field' },
    terms: { each: 'replace' },
    roles: { each: { members: {} } },
    rest: { each: { each: 'replace' } },
    rdf: {
      members: {
        prefixes: { each: 'replace' },
        bundles: { each: { members: { fields: { each: 'replace' } } } },
      },
    },
    signposting: { each: { each: 'replace' } },
    harvest: {
      members: {
        tables: { each: { each: 'replace' } },
        formats: { each: { members: { elements: { each: 'replace' }, defaults: { each: 'replace' } } } },
      },
    },
    views: { each: 'replace' },
    search: { members: { weights: { each: 'replace' } } },
    models: { each: { members: {} } },
  },
};
