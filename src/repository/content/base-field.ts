import type { ContentRow } from '../../database/schema/content.ts';
import type { BuiltInName } from '../../field-types/registry.ts';
import type { FieldDefinition, Item } from '../../model/content-model.ts';
import { defineField } from '../../model/define-field.ts';
import type { ContentFacts } from '../access-rule.ts';
import type { Actor } from '../actor.ts';

/** What a base field needs and no query asks for. */
export interface BaseValues {
  ownerUuid: string;
  revisionUserUuid?: string;
  /** Of nodes. */
  promote?: boolean;
  sticky?: boolean;
  /** Of media: the picture that stands for it. */
  thumbnail?: Item[];
  /** Of terms. */
  description?: Item[];
  weight?: number;
  parent?: Item[];
  /** Of paragraphs: what they belong to, and in which field. */
  parentId?: string | undefined;
  parentType?: string | undefined;
  parentField?: string | undefined;
}

/** The columns of a row that reading depends on; what else it has is in the document. */
export type Head = Omit<ContentRow, 'uuid' | 'label' | 'aliasId' | 'document' | 'foldedLabel'> &
  Pick<ContentFacts, 'hosts' | 'belongsTo'>;

/** An entity while it is made or changed: its columns, and what its base fields say besides. */
export interface Draft extends Head {
  uuid: string;
  label: string;
  /** The id of its own address beside the canonical one. */
  aliasId: number | null;
  langcode: string;
  created: number;
  revisionCreated: number;
  /** Null for a revision that no person made. */
  revisionUserId: number | null;
  base: BaseValues;
}

/** Whether a field may be set to something else than it is. */
type FieldRule =
  | { readonly kind: 'anyone' }
  /** `reason` is told on update only, as the original does. */
  | { readonly kind: 'nobody'; readonly reason: string }
  | { readonly kind: 'permission'; readonly anyOf: readonly string[]; readonly reason: string };

/** A field that every entity of a kind has: how it stands in the row, and who may set it. */
export interface BaseField {
  readonly definition: FieldDefinition;
  readonly read: (draft: Draft) => Item[];
  /** Left out where nobody may ever set it. */
  readonly write?: (draft: Draft, items: Item[]) => void;
  readonly create: FieldRule;
  readonly update: FieldRule;
  /** One of the ids: they come first in the document, and are put there when they are known. */
  readonly isIdentity?: true;
  /** Not part of the document. Only whoever may update the entity or view its revisions sees it. */
  readonly isForEditors?: true;
  /** True for a field of the entity and not of its revisions: a change of it creates no revision. */
  readonly isOfEntity?: true;
}

export const anyone: FieldRule = { kind: 'anyone' };

export const nobody = (reason = ''): FieldRule => ({ kind: 'nobody', reason });

/** A field for whoever has any of these permissions. */
export function permission(...anyOf: string[]): FieldRule {
  const quoted = anyOf.map((each) => `'${each}'`).join(' OR ');
  const reason =
    anyOf.length === 1 ? `The ${quoted} permission is required.` : `The following permissions are required: ${quoted}.`;
  return { kind: 'permission', anyOf, reason };
}

/** Why an actor may not set a field, or undefined if they may. */
export function whyNot(rule: FieldRule, actor: Actor): string | undefined {
  switch (rule.kind) {
    case 'anyone':
      return undefined;
    case 'nobody':
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

/** Under which name a base field stands that every kind of content has. */
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

/** Paragraphs have no more than these: what is not among their base fields stands nowhere. */
export const PARAGRAPH_NAMES: FieldNames = {
  ...TERM_NAMES,
  id: 'id',
  revisionCreated: 'created',
  owner: 'uid',
  created: 'created',
};
