import type { Static } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import { nearest } from '../base/nearest.ts';
import { configUuid } from './config-uuid.ts';
import { RoleSchema } from './model-schema.ts';
import { isKnown, type Permission, type Role } from './permissions.ts';
import type { Reading } from './reading.ts';

/** Roles that the repository assigns. */
const NEEDED_ROLES = ['anonymous', 'authenticated', 'administrator'];

/** Reads the roles. `known` are all permissions. */
export function parseRoles(
  reading: Reading,
  value: Readonly<Record<string, unknown>>,
  known: ReadonlySet<Permission>,
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

function parseRole(
  reading: Reading,
  name: string,
  value: unknown,
  path: string[],
  known: ReadonlySet<Permission>,
): Role {
  const file: Partial<Static<typeof RoleSchema>> = reading.checkedMap(RoleSchema, value, path);
  const permissions = new Set<Permission>();
  for (const [index, permission] of Object.entries(file.permissions ?? {})) {
    const at = [...path, 'permissions', index];
    if (isKnown(known, permission)) permissions.add(permission);
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
