import { permissionAccess } from './access.ts';
import { type Access, ALLOWED, when } from './access-rule.ts';
import type { Actor } from './actor.ts';

/** The users that an actor may view: all, the active ones and itself, or itself alone. */
export function userVisibility(actor: Actor): 'all' | 'active' | 'own' {
  if (actor.may('administer users')) return 'all';
  return actor.may('access user profiles') ? 'active' : 'own';
}

/** Users may view themselves, administrators all, and others active users if profiles are open. */
export function userViewAccess(actor: Actor, user: { id: number; status: boolean }): Access {
  const visible = userVisibility(actor);
  if (visible === 'all' || (actor.isAuthenticated && actor.id === user.id)) return ALLOWED;
  return when(
    visible === 'active' && user.status && user.id !== 0,
    "The 'access user profiles' permission is required and the user must be active.",
  );
}

/** Returns the access to uploads for fields of users. */
export function userUploadAccess(actor: Actor): Access {
  return permissionAccess(actor, 'administer users');
}
