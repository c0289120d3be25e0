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
export const ADMINISTRATOR_ID = 1;

export interface ActorFacts {
  id: number;
  uuid: string;
  name: string;
  roles: readonly string[];
}

/** Makes actors out of users. Permissions are those of the model's roles; a role that it lacks grants nothing. */
export function createActorFactory(model: ContentModel): (facts: ActorFacts) => Actor {
  return ({ id, uuid, name, roles }) => {
    const isAuthenticated = id !== ANONYMOUS_ID;
    const held = [isAuthenticated ? 'authenticated' : 'anonymous', ...roles].flatMap(
      (role) => model.roles.get(role) ?? [],
    );
    const isAdmin = held.some((role) => role.isAdmin);
    return {
      id,
      uuid,
      name,
      roles,
      isAuthenticated,
      may: (permission) => isAdmin || held.some(({ permissions }) => permissions.has(permission)),
    };
  };
}
