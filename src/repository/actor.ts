import type { ContentModel } from '../model/content-model.ts';
import { type Permission, permissionOf, type Role } from '../model/permissions.ts';
import type { AccessState } from './access/access-state.ts';
import { type Circumstances, type Sight, UNLIMITED } from './access/sight.ts';

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
  /** The node types of which the user may edit every item: access rules do not restrict these. */
  readonly editedTypes: readonly string[];
  /** What the user sees of restricted content, by the rules and the day of this moment. */
  readonly sight: Sight;
  /** Returns what access rules close of content with a set, to those whom they do not let in. */
  readonly rightsOf: AccessState['rightsOf'];
}

export const ANONYMOUS_ID = 0;
export const ADMINISTRATOR_ID = 1;

export interface ActorFacts
  extends Pick<Actor, 'id' | 'uuid' | 'name' | 'roles'>,
    Partial<Pick<Circumstances, 'networks' | 'granted'>> {}

/** The part of the access rules that actors ask. */
export type SightSource = Pick<AccessState, 'sets' | 'sightOf' | 'rightsOf'>;

/** Creates actors with the permissions of their roles. A role that the model lacks grants nothing. */
export function createActorFactory(model: ContentModel, access: SightSource): (facts: ActorFacts) => Actor {
  return ({ id, uuid, name, roles, networks = [], granted = [] }) => {
    const isAuthenticated = id !== ANONYMOUS_ID;
    const circumstances: Circumstances = { id, roles, networks, granted };
    const held = [isAuthenticated ? 'authenticated' : 'anonymous', ...roles].flatMap(
      (role) => model.roles.get(role) ?? [],
    );
    const may = permissionCheck(held);
    const seesAll = may('bypass node access');
    let edited: string[] | undefined;
    return {
      id,
      uuid,
      name,
      roles,
      isAuthenticated,
      may,
      get editedTypes() {
        edited ??= [...model.nodeTypes.keys()].filter((name) => may(permissionOf('edit any NAME content', name)));
        return edited;
      },
      get sight() {
        return seesAll || access.sets.isEmpty ? UNLIMITED : access.sightOf(circumstances);
      },
      rightsOf: (setId) => access.rightsOf(setId),
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
