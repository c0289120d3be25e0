import type { Static } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import { nearest } from '../base/nearest.ts';
import { configUuid } from './config-uuid.ts';
import type { Role } from './content-model.ts';
import { RoleSchema } from './model-schema.ts';
import type { Reading } from './reading.ts';

/** Roles that the repository itself gives to callers. */
const NEEDED_ROLES = ['anonymous', 'authenticated', 'administrator'];

/** Reads the roles. `known` are the permissions that there are. */
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
    reading.report(path, `${nameOf(path)} must be true: somebody has to be able to do everything`);
  }
  return roles;
}

function parseRole(reading: Reading, name: string, value: unknown, path: string[], known: ReadonlySet<string>): Role {
  const file: Partial<Static<typeof RoleSchema>> = reading.checkedMap(RoleSchema, value, path);
  const permissions = new Set<string>();
  for (const [index, permission] of Object.entries(file.permissions ?? {})) {
    const at = [...path, 'permissions', index];
    if (known.has(permission)) permissions.add(permission);
    // A built-in role may speak of a bundle that the user's file took away; that one is without effect.
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
