import { epochSeconds } from '../../field-types/epoch-seconds.ts';
import { dateItem } from '../../field-types/moment.tsx';
import type { ConfigType, EntityType, Item } from '../../model/content-model.ts';
import { entityPath } from '../../paths.ts';
import { anyone, type BaseField, define, EDITABLE, permission, READ_ONLY, readOnly } from './base-field.ts';

/** Base fields that nodes, media and terms share, under different names. */

const ID_REASON = 'The entity ID cannot be changed.';
const UUID_REASON = 'The entity UUID cannot be changed.';

export const value = (content: string | number | boolean): Item[] => [{ value: content }];

export const time = (seconds: number): Item[] => [dateItem(seconds)];

/** Returns a reference to a known target, in the form of the API. */
export function reference(targetType: EntityType, id: number, uuid: string): Item[] {
  const url = targetType === 'file' ? {} : { url: entityPath[targetType](id) };
  return [{ target_id: id, target_type: targetType, target_uuid: uuid, ...url }];
}

export const id = (name: string): BaseField => ({
  definition: define(name, 'ID', 'integer'),
  read: (draft) => value(draft.id),
  create: readOnly(),
  update: readOnly(ID_REASON),
  isIdentity: true,
});

export const uuid = (): BaseField => ({
  definition: define('uuid', 'UUID', 'uuid'),
  read: (draft) => value(draft.uuid),
  write: (draft, items) => {
    draft.uuid = String(items[0]?.value).toLowerCase();
  },
  create: anyone,
  update: readOnly(UUID_REASON),
  isIdentity: true,
});

export const revisionId = (name: string): BaseField => ({
  definition: define(name, 'Revision ID', 'integer'),
  read: (draft) => value(draft.revisionId ?? 0),
  ...READ_ONLY,
  isIdentity: true,
});

export const langcode = (): BaseField => ({
  definition: define('langcode', 'Language', 'language', { required: true }),
  read: (draft) => value(draft.langcode),
  write: (draft, items) => {
    draft.langcode = String(items[0]?.value);
  },
  ...EDITABLE,
});

/** The bundle, which is read before the other fields and never changes (spec: rest-behaviour, 1.5). */
export const bundle = (name: string, targetType: ConfigType, uuidOf: (bundle: string) => string): BaseField => ({
  definition: define(name, 'Type', 'entity_reference', { required: true, targetType }),
  read: (draft) => [{ target_id: draft.bundle, target_type: targetType, target_uuid: uuidOf(draft.bundle) }],
  ...READ_ONLY,
});

export const revisionCreated = (name: string): BaseField => ({
  definition: define(name, 'Revision create time', 'created'),
  read: (draft) => time(draft.revisionCreated),
  ...READ_ONLY,
});

export const revisionUser = (name: string): BaseField => ({
  definition: define(name, 'Revision user', 'entity_reference', { targetType: 'user' }),
  read: ({ revisionUserId, base }) =>
    revisionUserId === null ? [] : reference('user', revisionUserId, base.revisionUserUuid ?? base.ownerUuid),
  ...READ_ONLY,
});

/** The log message of a revision; each starts without one. */
export const revisionLog = (name: string): BaseField => ({
  definition: define(name, 'Revision log message', 'string_long'),
  read: (draft) => (draft.revisionLog === null ? [] : value(draft.revisionLog)),
  write: (draft, items) => {
    draft.revisionLog = items[0] === undefined ? null : String(items[0].value);
  },
  ...EDITABLE,
  isForEditors: true,
});

export const status = (rule: BaseField['create']): BaseField => ({
  definition: define('status', 'Published', 'boolean', { required: true }),
  read: (draft) => value(draft.status),
  write: (draft, items) => {
    draft.status = items[0]?.value === true;
  },
  create: rule,
  update: rule,
});

export const owner = (rule: BaseField['create']): BaseField => ({
  definition: define('uid', 'Authored by', 'entity_reference', { required: true, targetType: 'user' }),
  read: (draft) => reference('user', draft.ownerId, draft.base.ownerUuid),
  write: (draft, items) => {
    draft.ownerId = Number(items[0]?.target_id);
    draft.base.ownerUuid = String(items[0]?.target_uuid);
  },
  create: rule,
  update: rule,
});

export const label = (name: string, text: string): BaseField => ({
  definition: define(name, text, 'string', { required: true, maxLength: 255, translatable: true }),
  read: (draft) => value(draft.label),
  write: (draft, items) => {
    draft.label = String(items[0]?.value);
  },
  ...EDITABLE,
});

export const created = (rule: BaseField['create']): BaseField => ({
  definition: define('created', 'Authored on', 'created', { required: true }),
  read: (draft) => time(draft.created),
  write: (draft, items) => {
    draft.created = epochSeconds(String(items[0]?.value));
  },
  create: rule,
  update: rule,
});

export const changed = (): BaseField => ({
  definition: define('changed', 'Changed', 'changed'),
  read: (draft) => time(draft.changed),
  ...READ_ONLY,
  // A new alias updates it without a new revision.
  isOfEntity: true,
});

/** A field with one value for all content, which has one language. */
const constant = (name: string, text: string, type: 'boolean' | 'language', content: boolean | string): BaseField => ({
  definition: define(name, text, type),
  read: () => value(content),
  ...READ_ONLY,
});

/** The members that mark content as its only translation. */
export const onlyTranslation = (): BaseField[] => [
  constant('default_langcode', 'Default translation', 'boolean', true),
  constant('revision_translation_affected', 'Revision translation affected', 'boolean', true),
];

export const path = (): BaseField => ({
  definition: define('path', 'URL alias', 'path'),
  read: (draft) => [{ alias: draft.alias, pid: draft.aliasId, langcode: draft.langcode }],
  write: (draft, items) => {
    const alias = items[0]?.alias;
    draft.alias = typeof alias === 'string' && alias !== '' ? alias : null;
  },
  create: permission('create url aliases', 'administer url aliases'),
  update: permission('create url aliases', 'administer url aliases'),
  isOfEntity: true,
});

/** The members for translations, at the end of the base fields. */
export const translation = (): BaseField[] => [
  constant('content_translation_source', 'Translation source', 'language', 'und'),
  constant('content_translation_outdated', 'Translation outdated', 'boolean', false),
];
