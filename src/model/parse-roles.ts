import type { Static } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import { nearest } from '../base/nearest.ts';
import { configUuid } from './config-uuid.ts';
import { RoleSchema } from './model-schema.ts';
import { isKnown, type Permission, type Role } from './permissions.ts';

/** Roles that the repository assigns. */
const NEEDED_ROLES = ['anonymous', 'authenticated', 'administrator'];

/** Reads the roles. `known` are all permissions. */
export function parseRoles(
  reader: ConfigReader,
  value: Readonly<Record<string, unknown>>,
  known: ReadonlySet<Permission>,
): Map<string, Role> {
  const roles = reader.eachNamed(value, ['roles'], (name, role, path) => parseRole(reader, name, role, path, known));
  for (const name of NEEDED_ROLES) {
    if (!roles.has(name)) reader.report(['roles', name], `roles.${name} cannot be removed: the repository needs it`);
  }
  for (const name of ['anonymous', 'authenticated']) {
    if (!roles.get(name)?.isAdmin) continue;
    const path = ['roles', name, 'is_admin'];
    reader.report(path, `${nameOf(path)} cannot be true: it would let every caller do everything`);
  }
  const administrator = roles.get('administrator');
  if (administrator !== undefined && !administrator.isAdmin) {
    const path = ['roles', 'administrator', 'is_admin'];
    reader.report(path, `${nameOf(path)} must be true: the repository needs a role with every permission`);
  }
  return roles;
}

function parseRole(
  reader: ConfigReader,
  name: string,
  value: unknown,
  path: string[],
  known: ReadonlySet<Permission>,
): Role {
  const file: Partial<Static<typeof RoleSchema>> = reader.map(RoleSchema, value, path);
  const permissions = new Set<Permission>();
  for (const [index, permission] of Object.entries(file.permissions ?? {})) {
    const at = [...path, 'permissions', index];
    if (isKnown(known, permission)) permissions.add(permission);
    // Permissions of built-in roles for a bundle that the user's file removes have no effect.
    else if (!reader.isBuiltIn(at)) {
      const guess = nearest(permission, [...known]);
      const hint = guess
        ? `did you mean "${guess}"?`
        : 'permissions name a bundle that exists, as in "create page content"';
      reader.report(at, `${nameOf(at)}: there is no permission "${permission}"; ${hint}`);
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
