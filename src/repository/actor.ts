import type { ContentModel } from '../model/content-model.ts';
import { type Permission, permissionOf, type Role, sitePermissions } from '../model/permissions.ts';
import type { AccessState } from './access/access-state.ts';
import { type Circumstances, type PlaceSight, type Sight, UNLIMITED } from './access/sight.ts';
import { MEMBER_OF } from './relations.ts';

/** The user that a request acts for, with the permissions of the user's roles. */
export interface Actor {
  /** 0 for the anonymous user. */
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  /** Role names without `authenticated`, and without those for collections. */
  readonly roles: readonly string[];
  readonly isAuthenticated: boolean;
  readonly may: (permission: Permission) => boolean;
  /** The node types of which the user may edit every item: access rules do not restrict these. */
  readonly editedTypes: readonly string[];
  /** What the user sees of restricted content, by the rules and the day of this moment. */
  readonly sight: Sight;
  /** Returns what access rules close of content with a set, to those whom they do not let in. */
  readonly rightsOf: AccessState['rightsOf'];
  /** True for a user with roles for collections. */
  readonly hasPlaces: boolean;
  /**
   * Returns the user with the permissions at nodes with these access sets: also those of the roles that the user holds, for all of
   * the nodes, for collections above them. These roles permit nothing about the site, such as changes of terms and accounts.
   */
  readonly at: (setIds: readonly number[]) => Actor;
  /** Returns the user with the permissions of all roles for collections. A write decides where they hold. */
  readonly anywhere: () => Actor;
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
  const ofSite = sitePermissions(model.vocabularies.keys());
  const memberTypes = [...model.nodeTypes.values()].filter(({ fieldNamed }) => fieldNamed.has(MEMBER_OF));
  const heldBy = (roles: readonly string[]) => permissionCheck(roles.flatMap((role) => model.roles.get(role) ?? []));
  return ({ id, uuid, name, roles, networks = [], granted = [] }) => {
    const isAuthenticated = id !== ANONYMOUS_ID;
    const mayAnywhere = heldBy([isAuthenticated ? 'authenticated' : 'anonymous', ...roles]);
    const seesAll = mayAnywhere('bypass node access');
    const circumstances: Circumstances = { id, roles, networks, granted };
    const inPlaces: Circumstances = { ...circumstances, placeOf };
    const withMay = (may: Actor['may']): Actor => {
      let edited: string[] | undefined;
      return {
        id,
        uuid,
        name,
        roles,
        isAuthenticated,
        may,
        get editedTypes() {
          edited ??= [...model.nodeTypes.keys()].filter((type) => may(permissionOf('edit any NAME content', type)));
          return edited;
        },
        get sight() {
          if (seesAll || access.sets.isEmpty) return UNLIMITED;
          return access.sightOf(access.sets.hasPlaces(id) ? inPlaces : circumstances);
        },
        rightsOf: (setId) => access.rightsOf(setId),
        get hasPlaces() {
          return access.sets.hasPlaces(id);
        },
        at: (setIds) => (access.sets.hasPlaces(id) ? withRoles(sharedRoles(setIds)) : everywhere),
        anywhere: () => (access.sets.hasPlaces(id) ? withRoles(access.sets.rolesAt(id)) : everywhere),
      };
    };
    const everywhere = withMay(mayAnywhere);
    const byRoles = new Map<string, Actor>();

    /** Returns the actor with further roles, those of a place. */
    function withRoles(further: readonly string[]): Actor {
      if (further.length === 0) return everywhere;
      const key = further.join();
      let actor = byRoles.get(key);
      if (actor === undefined) {
        const mayThere = heldBy(further);
        actor = withMay((permission) => mayAnywhere(permission) || (!ofSite.has(permission) && mayThere(permission)));
        byRoles.set(key, actor);
      }
      return actor;
    }

    function sharedRoles([first, ...others]: readonly number[]): readonly string[] {
      if (first === undefined) return [];
      const held = access.sets.rolesAt(id, first);
      return held.filter((role) => others.every((setId) => access.sets.rolesAt(id, setId).includes(role)));
    }

    function placeOf(setId: number): PlaceSight | undefined {
      const further = access.sets.rolesAt(id, setId);
      if (further.length === 0) return undefined;
      const { may } = withRoles(further);
      const seesDrafts = may('bypass node access') || (may('access content') && may('view any unpublished content'));
      const isExempt = memberTypes.every((type) => may(permissionOf('edit any NAME content', type.name)));
      return { roles: [...roles, ...further], isExempt: isExempt || may('bypass node access'), seesDrafts };
    }

    return everywhere;
  };
}

/** Each answer checks many permissions, most often of a single role: of anonymous callers, or of the administrator. */
function permissionCheck(held: readonly Role[]): Actor['may'] {
  if (held.some((role) => role.isAdmin)) return () => true;
  const [first] = held;
  if (first !== undefined && held.length === 1) return (permission) => first.permissions.has(permission);
  return (permission) => held.some(({ permissions }) => permissions.has(permission));
}
