import type { EntityType, FieldDefinition, FieldTypeName } from '../model/content-model.ts';

/** What clients know a field type by, besides its name. */
interface TypeFacts {
  /** The module of the original that it comes from. */
  readonly module: string;
  /** The kind of form element that it is filled in with. */
  readonly widget: string;
}

const CORE = 'core';
/** Linked agents, dates and authorities of the field. */
const ACCESS_TERMS = 'controlled_access_terms';

const TYPE_FACTS: Readonly<Record<FieldTypeName, TypeFacts>> = {
  string: { module: CORE, widget: 'string_textfield' },
  string_long: { module: CORE, widget: 'string_textarea' },
  text: { module: 'text', widget: 'text_textfield' },
  text_long: { module: 'text', widget: 'text_textarea' },
  text_with_summary: { module: 'text', widget: 'text_textarea_with_summary' },
  list_string: { module: 'options', widget: 'options_select' },
  boolean: { module: CORE, widget: 'boolean_checkbox' },
  integer: { module: CORE, widget: 'number' },
  decimal: { module: CORE, widget: 'number' },
  float: { module: CORE, widget: 'number' },
  edtf: { module: ACCESS_TERMS, widget: 'edtf_default' },
  entity_reference: { module: CORE, widget: 'entity_reference_autocomplete' },
  typed_relation: { module: ACCESS_TERMS, widget: 'typed_relation_default' },
  file: { module: 'file', widget: 'file_generic' },
  image: { module: 'image', widget: 'image_image' },
  media_track: { module: 'islandora', widget: 'media_track' },
  link: { module: 'link', widget: 'link_default' },
  authority_link: { module: ACCESS_TERMS, widget: 'authority_link_default' },
  geolocation: { module: 'geolocation', widget: 'geolocation_latlng' },
  comment: { module: 'comment', widget: 'comment_default' },
  created: { module: CORE, widget: 'datetime_timestamp' },
  changed: { module: CORE, widget: 'datetime_timestamp' },
  timestamp: { module: CORE, widget: 'datetime_timestamp' },
  language: { module: CORE, widget: 'language_select' },
  uuid: { module: CORE, widget: 'string_textfield' },
  uri: { module: CORE, widget: 'uri' },
  path: { module: 'path', widget: 'path' },
  email: { module: CORE, widget: 'email_default' },
  // Sites that have these have them from modules of their own.
  textfield_attr: { module: CORE, widget: 'string_textfield' },
  textarea_attr: { module: CORE, widget: 'string_textarea' },
  related_item: { module: CORE, widget: 'string_textfield' },
  part_detail: { module: CORE, widget: 'string_textfield' },
  hierarchical_geographic: { module: CORE, widget: 'string_textfield' },
  config_reference: { module: CORE, widget: 'options_select' },
  entity_reference_revisions: {
    module: 'entity_reference_revisions',
    widget: 'entity_reference_revisions_autocomplete',
  },
};

const ENTITY_MODULES: Readonly<Record<EntityType, string>> = {
  node: 'node',
  media: 'media',
  taxonomy_term: 'taxonomy',
  paragraph: 'paragraphs',
  file: 'file',
  user: 'user',
};

/** The module that a field's type comes from; `core` for what needs none. */
export function moduleOf({ type }: FieldDefinition): string {
  return TYPE_FACTS[type].module;
}

/** The kind of form element that a field is filled in with. */
export function widgetOf({ type }: FieldDefinition): string {
  return TYPE_FACTS[type].widget;
}

/** The module that an entity type comes from. */
export function entityModule(entityType: EntityType): string {
  return ENTITY_MODULES[entityType];
}
