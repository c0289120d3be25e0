import type { EntityType } from '../../model/content-model.ts';
import { findTargets, type Target } from '../../repository/content/fill/targets.ts';
import { findPaths } from '../../repository/content/read/find-alias.ts';
import type { Services } from '../../repository/content/services.ts';
import { createFindUser } from '../../repository/users/find-user.ts';
import { Lookup } from './lookup.ts';

/** Finds the entities that a table refers to by id, name or alias. */
export interface FindReferred {
  byId(type: EntityType, id: number): Target | undefined | Promise<Target | undefined>;
  /** Returns the id of a node by its alias. */
  byAlias(alias: string): number | undefined | Promise<number | undefined>;
  /** Returns the id of a user by name. */
  byUserName(name: string): number | undefined | Promise<number | undefined>;
}

const NODE_PATH = /^\/node\/(\d+)$/;

/** Creates the look-ups of one table. They cache their results, and miss later changes. */
export function createFindReferred({ database, terms }: Services): FindReferred {
  const ofType = (type: EntityType) =>
    new Lookup<number, Target>(async (ids) => {
      const targets = await findTargets(database, new Map([[type, { ids: new Set(ids), uuids: new Set() }]]), terms);
      return new Map(ids.flatMap((id) => known(id, targets.get(type, id))));
    });
  const targets: Record<EntityType, Lookup<number, Target>> = {
    node: ofType('node'),
    media: ofType('media'),
    taxonomy_term: ofType('taxonomy_term'),
    paragraph: ofType('paragraph'),
    file: ofType('file'),
    user: ofType('user'),
  };
  const aliases = new Lookup<string, number>(async (keys) => {
    const paths = await findPaths(database, keys);
    return new Map(
      [...paths].flatMap(([alias, path]) => {
        const id = NODE_PATH.exec(path)?.[1];
        return known(alias, id === undefined ? undefined : Number(id));
      }),
    );
  });
  const findUser = createFindUser(database);
  const users = new Lookup<string, number>(async (names) => {
    const users = await Promise.all(names.map(async (name) => known(name, (await findUser.byName(name))?.row.id)));
    return new Map(users.flat());
  });
  return {
    byId: (type, id) => targets[type].get(id),
    byAlias: (alias) => aliases.get(alias),
    byUserName: (name) => users.get(name),
  };
}

function known<Key, Value>(key: Key, value: Value | undefined): [Key, Value][] {
  return value === undefined ? [] : [[key, value]];
}
