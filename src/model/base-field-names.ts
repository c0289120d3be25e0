import type { EntityType } from './content-model.ts';

const TRANSLATION = ['default_langcode', 'path', 'content_translation_source', 'content_translation_outdated'];
const REVISION = ['revision_translation_affected', 'status', 'changed', 'uuid', 'langcode'];

/** The base fields that forms have, and that groups of forms may name. */
export const FORM_BASE_FIELDS: Readonly<Record<EntityType, readonly string[]>> = {
  node: ['title', 'status', 'langcode', 'path', 'revision_log', 'access_rule'],
  media: ['name', 'status', 'langcode', 'path', 'revision_log_message'],
  taxonomy_term: [...['name', 'description', 'parent', 'weight', 'status', 'langcode', 'path', 'revision_log_message']],
  paragraph: [],
  file: [],
  user: [],
};

/** The base fields that pages show. */
export const DESCRIBING_BASE_FIELDS: Readonly<Partial<Record<EntityType, readonly string[]>>> = {
  taxonomy_term: ['description', 'parent'],
};

/** The fields that every entity of a type has (spec: rest-behaviour, 3.1). */
export const BASE_FIELD_NAMES: Readonly<Record<EntityType, ReadonlySet<string>>> = {
  node: new Set([
    ...['nid', 'vid', 'type', 'revision_timestamp', 'revision_uid', 'revision_log', 'uid', 'title', 'created'],
    ...['promote', 'sticky', ...REVISION, ...TRANSLATION],
  ]),
  media: new Set([
    ...['mid', 'vid', 'bundle', 'revision_created', 'revision_user', 'revision_log_message', 'uid', 'name'],
    ...['thumbnail', 'created', ...REVISION, ...TRANSLATION],
  ]),
  taxonomy_term: new Set([
    ...['tid', 'revision_id', 'vid', 'revision_created', 'revision_user', 'revision_log_message', 'name'],
    ...['description', 'weight', 'parent', 'content_translation_uid', 'content_translation_created'],
    ...[...REVISION, ...TRANSLATION],
  ]),
  paragraph: new Set([
    ...['id', 'uuid', 'revision_id', 'langcode', 'type', 'status', 'created', 'parent_id', 'parent_type'],
    ...['parent_field_name', 'behavior_settings', 'default_langcode', 'revision_translation_affected'],
    // Fields of the original that are missing here. Clients would misread a configured field of the name.
    ...['path', 'content_translation_source', 'content_translation_outdated', 'content_translation_changed'],
  ]),
  file: new Set([
    ...['fid', 'uuid', 'langcode', 'uid', 'filename', 'uri', 'filemime', 'filesize', 'status', 'created', 'changed'],
    ...['sha1', 'original_sha1'],
  ]),
  user: new Set([
    ...['uid', 'uuid', 'langcode', 'preferred_langcode', 'preferred_admin_langcode', 'name', 'mail', 'timezone'],
    ...['status', 'created', 'changed', 'access', 'login', 'init', 'roles', 'default_langcode', 'path', 'pass'],
  ]),
};
