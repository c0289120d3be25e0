import { type ContentTable, contentTables, type RevisionTable, revisionTables } from '../../database/schema/content.ts';
import type { Statement } from '../../database/statement.ts';
import { type AccessRule, ruleText } from '../../model/access-rules.ts';
import type { Bundle, ContentModel, FieldDefinition } from '../../model/content-model.ts';
import { ACCESS_RULE, ruleItems } from '../access/rule-items.ts';
import { mediaAccess, nodeAccess, termAccess } from '../access.ts';
import type { ContentAccess, ContentType, TermAccess } from '../access-rule.ts';
import { paragraphAccess } from '../paragraph-access.ts';
import {
  anyone,
  type BaseField,
  define,
  EDITABLE,
  type FieldNames,
  MEDIA_NAMES,
  NODE_NAMES,
  PARAGRAPH_NAMES,
  permission,
  READ_ONLY,
  TERM_NAMES,
} from './base-field.ts';
import * as common from './common-base-fields.ts';
import { paragraphFields } from './paragraph-fields.ts';
import { keepLinked } from './read/surroundings-queries.ts';

/** The differences between nodes, media, terms and paragraphs. */
export interface ContentKind {
  readonly type: ContentType;
  readonly table: ContentTable;
  readonly revisionTable: RevisionTable;
  /** The member of the bundle. */
  readonly bundleMember: string;
  /** The member of the label; undefined for paragraphs. */
  readonly labelMember: string | undefined;
  readonly names: FieldNames;
  readonly bundles: ReadonlyMap<string, Bundle>;
  /** In the order of the API. */
  readonly baseFields: readonly BaseField[];
  readonly baseFieldNamed: ReadonlyMap<string, BaseField>;
  readonly access: ContentAccess;
  /** Returns the statement to run after the references of an entity were written. */
  readonly afterReferences?: (entity: { readonly uuid: string }) => Statement;
}

export type ContentKinds = Readonly<Record<ContentType, ContentKind>> & {
  readonly taxonomy_term: ContentKind & { readonly access: TermAccess };
};

/** Returns the definition of a base or configured field; undefined if the bundle lacks it. */
export function definitionOf(
  { kind, bundle }: { readonly kind: ContentKind; readonly bundle: Bundle },
  name: string,
): FieldDefinition | undefined {
  return kind.baseFieldNamed.get(name)?.definition ?? bundle.fieldNamed.get(name);
}

export function createKinds(model: ContentModel): ContentKinds {
  const uuidIn = (bundles: ReadonlyMap<string, Bundle>) => (name: string) => bundles.get(name)?.uuid ?? '';
  const kind = <Access extends ContentAccess>(
    type: ContentType,
    facts: Omit<ContentKind, 'type' | 'table' | 'revisionTable' | 'baseFieldNamed'> & { readonly access: Access },
  ) => ({
    ...{ type, table: contentTables[type], revisionTable: revisionTables[type] },
    ...facts,
    baseFieldNamed: new Map(facts.baseFields.map((field) => [field.definition.name, field])),
  });
  return {
    node: kind('node', {
      bundleMember: 'type',
      labelMember: 'title',
      names: NODE_NAMES,
      bundles: model.nodeTypes,
      baseFields: nodeFields(uuidIn(model.nodeTypes)),
      access: nodeAccess,
    }),
    media: kind('media', {
      bundleMember: 'bundle',
      labelMember: 'name',
      names: MEDIA_NAMES,
      bundles: model.mediaTypes,
      baseFields: mediaFields(uuidIn(model.mediaTypes)),
      access: mediaAccess,
      afterReferences: keepLinked(model.mediaTypes),
    }),
    taxonomy_term: kind('taxonomy_term', {
      bundleMember: 'vid',
      labelMember: 'name',
      names: TERM_NAMES,
      bundles: model.vocabularies,
      baseFields: termFields(uuidIn(model.vocabularies)),
      access: termAccess,
    }),
    paragraph: kind('paragraph', {
      bundleMember: 'type',
      labelMember: undefined,
      names: PARAGRAPH_NAMES,
      bundles: model.paragraphTypes,
      baseFields: paragraphFields(uuidIn(model.paragraphTypes)),
      access: paragraphAccess,
    }),
  };
}

const ADMINISTER_NODES = permission('administer nodes');
const MAY_PUBLISH = permission('administer node published status', 'administer nodes');

function nodeFields(uuidOf: (bundle: string) => string): BaseField[] {
  return [
    common.id('nid'),
    common.uuid(),
    common.revisionId('vid'),
    common.langcode(),
    common.bundle('type', 'node_type', uuidOf),
    common.revisionCreated('revision_timestamp'),
    common.revisionUser('revision_uid'),
    common.revisionLog('revision_log'),
    accessRuleField,
    accessRightsField,
    common.status(MAY_PUBLISH),
    common.owner(ADMINISTER_NODES),
    common.label('title', 'Title'),
    common.created(ADMINISTER_NODES),
    common.changed(),
    flag('promote', 'Promoted to front page'),
    flag('sticky', 'Sticky at top of lists'),
    ...common.onlyTranslation(),
    common.path(),
    ...common.translation(),
  ];
}

/** The access rule of a node. Revisions do not have it: the present one holds for all of them. */
const accessRuleField: BaseField = {
  definition: define(ACCESS_RULE, 'Who may see it', 'access_rule'),
  read: ruleItems,
  write: (draft, items) => {
    draft.accessRule = items[0] === undefined ? undefined : ruleText(items[0] as AccessRule);
  },
  ...EDITABLE,
  isForEditors: true,
  isOfEntity: true,
};

/** What rules close at present (`representation/content-json.ts`). */
const accessRightsField: BaseField = {
  definition: define('access_rights', 'Access rights', 'access_rule'),
  read: () => [],
  ...READ_ONLY,
  isForEditors: true,
  isComputed: true,
};

function flag(name: 'promote' | 'sticky', text: string): BaseField {
  return {
    definition: define(name, text, 'boolean'),
    read: ({ base }) => common.value(base[name] === true),
    write: ({ base }, items) => {
      base[name] = items[0]?.value === true;
    },
    create: ADMINISTER_NODES,
    update: ADMINISTER_NODES,
  };
}

function mediaFields(uuidOf: (bundle: string) => string): BaseField[] {
  return [
    common.id('mid'),
    common.uuid(),
    common.revisionId('vid'),
    common.langcode(),
    common.bundle('bundle', 'media_type', uuidOf),
    common.revisionCreated('revision_created'),
    common.revisionUser('revision_user'),
    common.revisionLog('revision_log_message'),
    common.status(anyone),
    common.owner(anyone),
    common.label('name', 'Name'),
    {
      definition: define('thumbnail', 'Thumbnail', 'image', { targetType: 'file' }),
      read: ({ base }) => base.thumbnail ?? [],
      ...READ_ONLY,
    },
    common.created(anyone),
    common.changed(),
    ...common.onlyTranslation(),
    common.path(),
    ...common.translation(),
  ];
}

const TOP_LEVEL = [{ target_id: null }];
const NO_DESCRIPTION = [{ value: null, format: null, processed: '' }];

function termFields(uuidOf: (bundle: string) => string): BaseField[] {
  return [
    common.id('tid'),
    common.uuid(),
    common.revisionId('revision_id'),
    common.langcode(),
    common.bundle('vid', 'taxonomy_vocabulary', uuidOf),
    common.revisionCreated('revision_created'),
    common.revisionUser('revision_user'),
    common.revisionLog('revision_log_message'),
    common.status(anyone),
    common.label('name', 'Name'),
    {
      definition: define('description', 'Description', 'text_long', { translatable: true }),
      read: ({ base }) => (base.description?.length ? base.description : NO_DESCRIPTION),
      write: ({ base }, items) => {
        base.description = items;
      },
      ...EDITABLE,
    },
    {
      definition: define('weight', 'Weight', 'integer', { size: 'normal' }),
      read: ({ base }) => common.value(base.weight ?? 0),
      write: ({ base }, items) => {
        base.weight = Number(items[0]?.value ?? 0);
      },
      ...EDITABLE,
    },
    {
      definition: define('parent', 'Term Parents', 'entity_reference', {
        targetType: 'taxonomy_term',
        cardinality: -1,
      }),
      read: ({ base }) => (base.parent?.length ? base.parent : TOP_LEVEL),
      write: ({ base }, items) => {
        base.parent = items;
      },
      ...EDITABLE,
    },
    common.changed(),
    ...common.onlyTranslation(),
    common.path(),
    ...common.translation(),
    {
      definition: define('content_translation_uid', 'Translation author', 'entity_reference', { targetType: 'user' }),
      read: (draft) => common.reference('user', draft.ownerId, draft.base.ownerUuid),
      ...READ_ONLY,
    },
    {
      definition: define('content_translation_created', 'Translation created time', 'created'),
      read: (draft) => common.time(draft.created),
      ...READ_ONLY,
    },
  ];
}
