import type { FieldTypeName, TargetType } from './content-model.ts';
import type { ViewType } from './views.ts';

/** What a base field is, as far as lists use it. */
export interface ViewBaseField {
  readonly type: FieldTypeName;
  readonly targetType?: TargetType;
}

const COMMON: Readonly<Record<string, ViewBaseField>> = {
  uuid: { type: 'uuid' },
  langcode: { type: 'language' },
  status: { type: 'boolean' },
  changed: { type: 'changed' },
  path: { type: 'path' },
};
const OWNED: Readonly<Record<string, ViewBaseField>> = {
  uid: { type: 'entity_reference', targetType: 'user' },
  created: { type: 'created' },
};

/** The base fields of each kind of entity that lists may use. */
export const VIEW_BASE_FIELDS: Readonly<Record<ViewType, Readonly<Record<string, ViewBaseField>>>> = {
  node: {
    nid: { type: 'integer' },
    type: { type: 'entity_reference', targetType: 'node_type' },
    title: { type: 'string' },
    promote: { type: 'boolean' },
    sticky: { type: 'boolean' },
    ...OWNED,
    ...COMMON,
  },
  media: {
    mid: { type: 'integer' },
    bundle: { type: 'entity_reference', targetType: 'media_type' },
    name: { type: 'string' },
    ...OWNED,
    ...COMMON,
  },
  taxonomy_term: {
    tid: { type: 'integer' },
    vid: { type: 'entity_reference', targetType: 'taxonomy_vocabulary' },
    name: { type: 'string' },
    description: { type: 'text_long' },
    weight: { type: 'integer' },
    parent: { type: 'entity_reference', targetType: 'taxonomy_term' },
    ...COMMON,
  },
};

/** The scalar members of the items of each type. The first is the one that is meant where none is named. */
export const VIEW_PROPERTIES: Readonly<Record<FieldTypeName, readonly [string, ...string[]]>> = {
  string: ['value'],
  string_long: ['value'],
  text: ['value', 'format'],
  text_long: ['value', 'format'],
  text_with_summary: ['value', 'format', 'summary'],
  list_string: ['value'],
  boolean: ['value'],
  integer: ['value'],
  decimal: ['value'],
  float: ['value'],
  edtf: ['value'],
  entity_reference: ['target_id'],
  typed_relation: ['target_id', 'rel_type'],
  file: ['target_id', 'description'],
  image: ['target_id', 'alt', 'title', 'width', 'height'],
  media_track: ['target_id', 'label', 'kind', 'srclang', 'default'],
  link: ['uri', 'title'],
  authority_link: ['uri', 'title', 'source'],
  geolocation: ['value', 'lat', 'lng'],
  comment: ['status', 'comment_count'],
  created: ['value'],
  changed: ['value'],
  timestamp: ['value'],
  language: ['value'],
  uuid: ['value'],
  uri: ['value'],
  path: ['alias'],
  email: ['value'],
  textfield_attr: ['value', 'attr0', 'attr1'],
  textarea_attr: ['value', 'attr0', 'attr1', 'format'],
  related_item: ['title', 'identifier', 'identifier_type', 'number'],
  part_detail: ['title', 'type', 'caption', 'number'],
  hierarchical_geographic: [
    'country',
    'continent',
    'region',
    'state',
    'territory',
    'county',
    'city',
    'city_section',
    'island',
    'area',
    'extraterrestrial_area',
  ],
  config_reference: ['target_id'],
  entity_reference_revisions: ['target_id', 'target_revision_id'],
};

const NUMBERS = new Set(['width', 'height', 'lat', 'lng', 'comment_count', 'target_revision_id']);

/** What the values of a property are. */
export function viewKind(
  type: FieldTypeName,
  property: string,
  isEntity: boolean,
): 'text' | 'number' | 'boolean' | 'id' {
  if (property === 'target_id') return isEntity ? 'id' : 'text';
  if (type === 'boolean' || property === 'default') return 'boolean';
  const isNumber = ((type === 'integer' || type === 'float') && property === 'value') || NUMBERS.has(property);
  return isNumber || type === 'comment' ? 'number' : 'text';
}
