import type { ContentModel } from '../../model/content-model.ts';
import { BUNDLE_PERMISSIONS, PERMISSION_GROUPS, type Permission, permissionOf } from '../../model/permissions.ts';

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

interface LabelledName {
  readonly name: string;
  readonly label: string;
}

/** Returns every permission of a content model with the roles that have it. */
export function permissionTable(model: ContentModel): PermissionTable {
  const roles = [...model.roles.values()];
  const rowOf = (name: Permission, words: string): PermissionRow => ({
    name,
    words,
    roles: new Set(roles.filter((role) => role.permissions.has(name)).map((role) => role.name)),
  });
  const fixed = Object.entries(PERMISSION_GROUPS).map(([title, words]) => ({
    title,
    rows: entriesOf(words).map(([name, effect]) => rowOf(name, effect)),
  }));
  const ofBundles = (title: string, kind: keyof typeof BUNDLE_PERMISSIONS) =>
    Array.from<LabelledName, PermissionGroup>(model[kind].values(), ({ name, label }) => ({
      title: `${title}: ${label}`,
      rows: entriesOf(BUNDLE_PERMISSIONS[kind]).map(([pattern, words]) => rowOf(permissionOf(pattern, name), words)),
    }));
  return {
    roles: roles.map(({ name, label, isAdmin }) => ({ name, label, isAdmin })),
    groups: [
      ...fixed,
      ...ofBundles('Content type', 'nodeTypes'),
      ...ofBundles('Media type', 'mediaTypes'),
      ...ofBundles('Vocabulary', 'vocabularies'),
      ...ofBundles('Paragraph type', 'paragraphTypes'),
      ...ofBundles('Text format', 'textFormats'),
    ],
  };
}

function entriesOf<Name extends string>(words: Readonly<Partial<Record<Name, string>>>): [Name, string][] {
  return Object.entries(words) as [Name, string][];
}
