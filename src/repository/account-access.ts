import type { ContentModel } from '../model/content-model.ts';
import type { Role } from '../model/permissions.ts';
import { permissionAccess } from './access.ts';
import { type Access, ALLOWED, when } from './access-rule.ts';
import type { Actor } from './actor.ts';
import { accountAccess } from './core-right.ts';

type Roles = Pick<ContentModel, 'roles'>;

/** Roles that are never granted: callers have them implicitly. */
const IMPLICIT_ROLES = new Set(['anonymous', 'authenticated']);

/** Returns the roles that can be granted, in the order of the model. */
export function grantableRoles(known: ReadonlyMap<string, unknown>): string[] {
  return [...known.keys()].filter((role) => !IMPLICIT_ROLES.has(role));
}

/**
 * Returns the access to the change of an account with some roles. Administrators of accounts manage accounts that may do
 * no more than they themselves (decision 57): otherwise they could set the password of an administrator.
 */
export function manageAccess(actor: Actor, model: Roles, roles: readonly string[]): Access {
  const access = accountAccess(actor);
  if (!access.isAllowed) return access;
  const higher = roles.find((name) => !mayAllOf(actor, model, model.roles.get(name)));
  return when(higher === undefined, `The account has the role ${higher}, which permits more than your own roles.`);
}

/** Returns the access to the mail address of an account, which its owner changes, too. */
export function mailAccess(actor: Actor, model: Roles, account: AccountFacts): Access {
  return isOwn(actor, account) ? ALLOWED : manageAccess(actor, model, account.roles);
}

/** Returns the access to the sessions of an account. */
export const sessionsAccess = mailAccess;

/** Returns the access to the end of an account: the own one with a permission, others for their administrators. */
export function cancelAccess(actor: Actor, model: Roles, account: AccountFacts): Access {
  return isOwn(actor, account) ? permissionAccess(actor, 'cancel account') : manageAccess(actor, model, account.roles);
}

/** Returns the roles that an actor may grant and remove: those that permit no more than the actor's own. */
export function rolesToGrant(actor: Actor, model: Roles): string[] {
  return grantableRoles(model.roles).filter((name) => mayAllOf(actor, model, model.roles.get(name)));
}

/** The facts of an account that access depends on. */
interface AccountFacts {
  readonly id: number;
  readonly roles: readonly string[];
}

const isOwn = (actor: Actor, account: AccountFacts) => actor.isAuthenticated && actor.id === account.id;

/** Returns true if the actor has all permissions of a role. A role that the model lacks has none. */
function mayAllOf(actor: Actor, model: Roles, role: Role | undefined): boolean {
  if (role === undefined || actor.roles.some((name) => model.roles.get(name)?.isAdmin)) return true;
  return !role.isAdmin && [...role.permissions].every(actor.may);
}
