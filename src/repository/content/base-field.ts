import type { ContentRow } from '../../database/schema/content.ts';
import type { BuiltInName } from '../../field-types/registry.ts';
import type { FieldDefinition, Item } from '../../model/content-model.ts';
import { defineField } from '../../model/define-field.ts';
import type { Permission } from '../../model/permissions.ts';
import type { ContentFacts } from '../access-rule.ts';
import type { Actor } from '../actor.ts';

/** Values of base fields that are only in the document. */
export interface BaseValues {
  ownerUuid: string;
  revisionUserUuid?: string;
  /** Nodes only. */
  promote?: boolean;
  sticky?: boolean;
  /** Media only. */
  thumbnail?: Item[];
  /** Terms only. */
  description?: Item[];
  weight?: number;
  parent?: Item[];
  /** Paragraphs only: the host, and its field. */
  parentId?: string | undefined;
  parentType?: string | undefined;
  parentField?: string | undefined;
}

/** The columns of a row that reads need besides the document. */
export type Head = Omit<ContentRow, 'uuid' | 'label' | 'aliasId' | 'document' | 'foldedLabel' | 'sortLabel'> &
  Pick<ContentFacts, 'accessSet' | 'useIds' | 'hosts' | 'belongsTo'> & {
    /** The text of the access rule that a node has itself. */
    accessRule?: string | undefined;
  };

/** An entity while it is created or changed: its columns, and the other values of base fields. */
export interface Draft extends Head {
  uuid: string;
  label: string;
  /** The id of its alias. */
  aliasId: number | null;
  langcode: string;
  created: number;
  revisionCreated: number;
  /** Null for a revision without a user. */
  revisionUserId: number | null;
  base: BaseValues;
}

/** The condition for changes of a field. */
type FieldRule =
  | { readonly kind: 'anyone' }
  /** As in the original, only updates report the reason. */
  | { readonly kind: 'read-only'; readonly reason: string }
  | { readonly kind: 'permission'; readonly anyOf: readonly Permission[]; readonly reason: string };

/** A field that every entity of a kind has: its place in the row, and who may set it. */
export interface BaseField {
  readonly definition: FieldDefinition;
  readonly read: (draft: Draft) => Item[];
  /** Missing for a field that is never set. */
  readonly write?: (draft: Draft, items: Item[]) => void;
  readonly create: FieldRule;
  readonly update: FieldRule;
  /** True for ids, which begin the document and are added when they are known. */
  readonly isIdentity?: true;
  /** True for a field outside the document, which only callers who may update the entity or view its revisions see. */
  readonly isForEditors?: true;
  /** True for a computed member, which answers have beside the document: a write ignores it. */
  readonly isComputed?: true;
  /** True for a field of the entity, not of its revisions: its change creates no revision. */
  readonly isOfEntity?: true;
}

export const anyone: FieldRule = { kind: 'anyone' };

export const readOnly = (reason = ''): FieldRule => ({ kind: 'read-only', reason });

/** The rules of a field that no one sets, and of one that every editor may set. */
export const READ_ONLY = { create: readOnly(), update: readOnly() } as const;
export const EDITABLE = { create: anyone, update: anyone } as const;

/** Returns the rule that requires one of the permissions. */
export function permission(...anyOf: Permission[]): FieldRule {
  const quoted = anyOf.map((each) => `'${each}'`).join(' OR ');
  const reason =
    anyOf.length === 1 ? `The ${quoted} permission is required.` : `The following permissions are required: ${quoted}.`;
  return { kind: 'permission', anyOf, reason };
}

/** Returns the reason why an actor may not set a field; undefined if the actor may. */
export function refusedChange(rule: FieldRule, actor: Actor): string | undefined {
  switch (rule.kind) {
    case 'anyone':
      return undefined;
    case 'read-only':
      return rule.reason;
    case 'permission':
      return rule.anyOf.some(actor.may) ? undefined : rule.reason;
  }
}

/** Returns the definition of a base field: one value, not required, unless its settings differ. */
export function define(
  name: string,
  label: string,
  type: BuiltInName,
  settings: Partial<FieldDefinition> = {},
): FieldDefinition {
  return defineField(name, label, type, settings);
}

/** The names of the base fields that every kind of content has. */
export interface FieldNames {
  readonly id: string;
  readonly revisionId: string;
  readonly revisionCreated: string;
  readonly revisionUser: string;
  readonly revisionLog: string;
  readonly owner: string;
  readonly created: string;
}

export const NODE_NAMES: FieldNames = {
  id: 'nid',
  revisionId: 'vid',
  revisionCreated: 'revision_timestamp',
  revisionUser: 'revision_uid',
  revisionLog: 'revision_log',
  owner: 'uid',
  created: 'created',
};

export const MEDIA_NAMES: FieldNames = {
  ...NODE_NAMES,
  id: 'mid',
  revisionCreated: 'revision_created',
  revisionUser: 'revision_user',
  revisionLog: 'revision_log_message',
};

export const TERM_NAMES: FieldNames = {
  ...MEDIA_NAMES,
  id: 'tid',
  revisionId: 'revision_id',
  owner: 'content_translation_uid',
  created: 'content_translation_created',
};

/** Paragraphs lack some of these fields. */
export const PARAGRAPH_NAMES: FieldNames = {
  ...TERM_NAMES,
  id: 'id',
  revisionCreated: 'created',
  owner: 'uid',
  created: 'created',
};
