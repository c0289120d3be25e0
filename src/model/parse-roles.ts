import type { Static } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import { nearest } from '../base/nearest.ts';
import { configUuid } from './config-uuid.ts';
import type { Role } from './content-model.ts';
import { RoleSchema } from './model-schema.ts';
import type { Reading } from './reading.ts';

/** Roles that the repository assigns. */
const NEEDED_ROLES = ['anonymous', 'authenticated', 'administrator'];

/** Reads the roles. `known` are all permissions. */
export function parseRoles(
  reading: Reading,
  value: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): Map<string, Role> {
  const roles = reading.eachNamed(value, ['roles'], (name, role, path) => parseRole(reading, name, role, path, known));
  for (const name of NEEDED_ROLES) {
    if (!roles.has(name)) reading.report(['roles', name], `roles.${name} cannot be removed: the repository needs it`);
  }
  for (const name of ['anonymous', 'authenticated']) {
    if (!roles.get(name)?.isAdmin) continue;
    const path = ['roles', name, 'is_admin'];
    reading.report(path, `${nameOf(path)} cannot be true: it would let every caller do everything`);
  }
  const administrator = roles.get('administrator');
  if (administrator !== undefined && !administrator.isAdmin) {
    const path = ['roles', 'administrator', 'is_admin'];
    reading.report(path, `${nameOf(path)} must be true: the repository needs a role with every permission`);
  }
  return roles;
}

function parseRole(reading: Reading, name: string, value: unknown, path: string[], known: ReadonlySet<string>): Role {
  const file: Partial<Static<typeof RoleSchema>> = reading.checkedMap(RoleSchema, value, path);
  const permissions = new Set<string>();
  for (const [index, permission] of Object.entries(file.permissions ?? {})) {
    const at = [...path, 'permissions', index];
    if (known.has(permission)) permissions.add(permission);
    // Permissions of built-in roles for a bundle that the user's file removes have no effect.
    else if (!reading.isBuiltIn(at)) {
      const guess = nearest(permission, [...known]);
      const hint = guess
        ? `did you mean "${guess}"?`
        : 'permissions name a bundle that exists, as in "create page content"';
      reading.report(at, `${nameOf(at)}: there is no permission "${permission}"; ${hint}`);
    }
  }
  return {
    name,
    label: file.label ?? name,
    uuid: configUuid('user_role', name),
    isAdmin: file.is_admin ?? false,
    permissions,
  };
}

/** Permissions that do not depend on configuration (names as in Drupal and the modules of Islandora). */
const FIXED_PERMISSIONS = [
  ...['access content', 'access content overview', 'administer nodes', 'administer node published status'],
  ...['bypass node access', 'view own unpublished content', 'view any unpublished content'],
  ...['view all revisions', 'revert all revisions', 'delete all revisions'],
  ...['view media', 'view own unpublished media', 'administer media', 'administer media types', 'create media'],
  ...['access media overview', 'update media', 'update any media', 'delete media', 'delete any media'],
  'view all media revisions',
  ...['administer taxonomy', 'access taxonomy overview', 'administer configured terms'],
  ...['access files overview', 'delete own files', 'delete any file', 'replace files'],
  ...['create url aliases', 'administer url aliases', 'administer redirects'],
  ...['access user profiles', 'administer users', 'administer permissions', 'administer site configuration'],
  'cancel account',
  'access site reports',
  ...['view checksums', 'manage members', 'manage media', 'use islandora workbench'],
  'bypass paragraphs type content access',
  ...['restful get oai_pmh', 'restful post oai_pmh'],
];

/** The names of the bundles and text formats of permissions. */
interface PermissionScope {
  readonly nodeTypes: Iterable<string>;
  readonly mediaTypes: Iterable<string>;
  readonly vocabularies: Iterable<string>;
  readonly paragraphTypes: Iterable<string>;
  readonly textFormats: Iterable<string>;
}

/** Returns every permission for the configured bundles and text formats. */
export function knownPermissions(scope: PermissionScope): Set<string> {
  const known = new Set(FIXED_PERMISSIONS);
  for (const name of scope.nodeTypes) for (const permission of contentPermissions(name)) known.add(permission);
  for (const name of scope.mediaTypes) for (const permission of mediaPermissions(name)) known.add(permission);
  for (const name of scope.vocabularies) for (const permission of termPermissions(name)) known.add(permission);
  for (const name of scope.paragraphTypes) for (const permission of paragraphPermissions(name)) known.add(permission);
  for (const name of scope.textFormats) known.add(`use text format ${name}`);
  return known;
}

function contentPermissions(bundle: string): string[] {
  return [
    ...['create', 'edit own', 'edit any', 'delete own', 'delete any'].map((act) => `${act} ${bundle} content`),
    ...['view', 'revert', 'delete'].map((act) => `${act} ${bundle} revisions`),
  ];
}

function mediaPermissions(bundle: string): string[] {
  return ['create', 'edit own', 'edit any', 'delete own', 'delete any'].map((act) => `${act} ${bundle} media`);
}

function termPermissions(bundle: string): string[] {
  return ['create', 'edit', 'delete'].map((act) => `${act} terms in ${bundle}`);
}

function paragraphPermissions(bundle: string): string[] {
  return ['create', 'update', 'delete'].map((act) => `${act} paragraph content ${bundle}`);
}
