import type { ContentModel } from '../model/content-model.ts';

/** Whoever a request acts for: a user with the permissions of their roles, or the anonymous user. */
export interface Actor {
  /** 0 for the anonymous user. */
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  /** Role names, `authenticated` not among them. */
  readonly roles: readonly string[];
  readonly isAuthenticated: boolean;
  may(permission: string): boolean;
}

export const ANONYMOUS_ID = 0;

export interface ActorFacts {
  id: number;
  uuid: string;
  name: string;
  roles: readonly string[];
}

/** Makes actors out of users. Permissions are those of the model's roles; a role that it lacks grants nothing. */
export function createActorFactory(model: ContentModel): (facts: ActorFacts) => Actor {
  const granted = new Map<string, ReadonlySet<string> | 'everything'>();

  function permissionsOf(roles: readonly string[]): ReadonlySet<string> | 'everything' {
    const key = roles.join(' ');
    const known = granted.get(key);
    if (known !== undefined) return known;
    const found = roles.flatMap((name) => model.roles.get(name) ?? []);
    const permissions = found.some((role) => role.isAdmin)
      ? 'everything'
      : new Set(found.flatMap((role) => [...role.permissions]));
    granted.set(key, permissions);
    return permissions;
  }

  return ({ id, uuid, name, roles }) => {
    const isAuthenticated = id !== ANONYMOUS_ID;
    const permissions = permissionsOf([isAuthenticated ? 'authenticated' : 'anonymous', ...roles]);
    return {
      id,
      uuid,
      name,
      roles,
      isAuthenticated,
      may: (permission) => permissions === 'everything' || permissions.has(permission),
    };
  };
}
