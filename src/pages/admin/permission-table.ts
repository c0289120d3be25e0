import type { ContentModel } from '../../model/content-model.ts';
import { PERMISSION_WORDS } from './permission-words.ts';

/** A permission with the roles that have it. */
export interface PermissionRow {
  readonly name: string;
  /** Its effect in words. */
  readonly words: string;
  /** The names of the roles that have it by their own list. */
  readonly roles: ReadonlySet<string>;
}

/** Permissions about one subject. */
export interface PermissionGroup {
  readonly title: string;
  readonly rows: readonly PermissionRow[];
}

/** The permissions of all roles, as the configuration states them. */
export interface PermissionTable {
  readonly roles: readonly { readonly name: string; readonly label: string; readonly isAdmin: boolean }[];
  readonly groups: readonly PermissionGroup[];
}

interface Named {
  readonly name: string;
  readonly label: string;
}

/** The permissions of a bundle: the pattern of their names, and their effect in words. */
const OF_NODE_TYPE = {
  'create NAME content': 'Create',
  'edit own NAME content': 'Edit own',
  'edit any NAME content': 'Edit all',
  'delete own NAME content': 'Delete own',
  'delete any NAME content': 'Delete all',
  'view NAME revisions': 'View earlier versions',
  'revert NAME revisions': 'Restore earlier versions',
  'delete NAME revisions': 'No effect: revisions are kept',
};
const OF_MEDIA_TYPE = {
  'create NAME media': 'Create',
  'edit own NAME media': 'Edit own',
  'edit any NAME media': 'Edit all',
  'delete own NAME media': 'Delete own',
  'delete any NAME media': 'Delete all',
};
const OF_VOCABULARY = {
  'create terms in NAME': 'Create',
  'edit terms in NAME': 'Edit',
  'delete terms in NAME': 'Delete',
};
const OF_PARAGRAPH_TYPE = {
  'create paragraph content NAME': 'Create',
  'update paragraph content NAME': 'Edit',
  'delete paragraph content NAME': 'Delete',
};
const OF_TEXT_FORMAT = { 'use text format NAME': 'Write texts in this format' };

/** Returns every permission of a content model with the roles that have it. */
export function permissionTable(model: ContentModel): PermissionTable {
  const roles = [...model.roles.values()];
  const rowOf = (name: string, words: string): PermissionRow => ({
    name,
    words,
    roles: new Set(roles.filter((role) => role.permissions.has(name)).map((role) => role.name)),
  });
  const fixed = Object.entries(PERMISSION_WORDS).map(([title, words]) => ({
    title,
    rows: Object.entries(words).map(([name, effect]) => rowOf(name, effect)),
  }));
  const ofBundles = (kind: string, bundles: Iterable<Named>, patterns: Readonly<Record<string, string>>) =>
    [...bundles].map(({ name, label }) => ({
      title: `${kind}: ${label}`,
      rows: Object.entries(patterns).map(([pattern, words]) => rowOf(pattern.replace('NAME', name), words)),
    }));
  return {
    roles: roles.map(({ name, label, isAdmin }) => ({ name, label, isAdmin })),
    groups: [
      ...fixed,
      ...ofBundles('Content type', model.nodeTypes.values(), OF_NODE_TYPE),
      ...ofBundles('Media type', model.mediaTypes.values(), OF_MEDIA_TYPE),
      ...ofBundles('Vocabulary', model.vocabularies.values(), OF_VOCABULARY),
      ...ofBundles('Paragraph type', model.paragraphTypes.values(), OF_PARAGRAPH_TYPE),
      ...ofBundles('Text format', model.textFormats.values(), OF_TEXT_FORMAT),
    ],
  };
}
