import type { TargetType } from './content-model.ts';
import type { ViewType } from './views.ts';

/** A base field, as far as lists use it. */
export interface ViewBaseField {
  readonly type: string;
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
