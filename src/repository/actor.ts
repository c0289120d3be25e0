import type { ContentModel } from '../model/content-model.ts';
import type { Permission, Role } from '../model/permissions.ts';

/** The user that a request acts for, with the permissions of the user's roles. */
export interface Actor {
  /** 0 for the anonymous user. */
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  /** Role names without `authenticated`. */
  readonly roles: readonly string[];
  readonly isAuthenticated: boolean;
  readonly may: (permission: Permission) => boolean;
}

export const ANONYMOUS_ID = 0;
export const ADMINISTRATOR_ID = 1;

export interface ActorFacts {
  id: number;
  uuid: string;
  name: string;
  roles: readonly string[];
}

/** Creates actors with the permissions of their roles. A role that the model lacks grants nothing. */
export function createActorFactory(model: ContentModel): (facts: ActorFacts) => Actor {
  return ({ id, uuid, name, roles }) => {
    const isAuthenticated = id !== ANONYMOUS_ID;
    const held = [isAuthenticated ? 'authenticated' : 'anonymous', ...roles].flatMap(
      (role) => model.roles.get(role) ?? [],
    );
    return {
      id,
      uuid,
      name,
      roles,
      isAuthenticated,
      may: permissionCheck(held),
    };
  };
}

/** Each answer checks many permissions, most often of a single role: of anonymous callers, or of the administrator. */
function permissionCheck(held: readonly Role[]): Actor['may'] {
  if (held.some((role) => role.isAdmin)) return () => true;
  const [first] = held;
  if (first !== undefined && held.length === 1) return (permission) => first.permissions.has(permission);
  return (permission) => held.some(({ permissions }) => permissions.has(permission));
}
