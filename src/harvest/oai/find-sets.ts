import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { nodes } from '../../database/schema/content.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { accessSetOf } from '../../repository/access/set-columns.ts';
import { isParentOf } from '../../repository/relations.ts';
import type { HarvestServices } from './harvest-services.ts';

/** The collections that harvesters see. */
export interface Sets {
  /** The title of each collection, in the order of their ids. */
  readonly names: ReadonlyMap<number, string>;
  /** Returns a collection and all collections below it, as a JSON list of ids. */
  below(collection: number): string;
  /** Returns the collections among the parents of a node, a JSON list of ids, and all collections above them. */
  above(parents: string): number[];
}

const [collection, parent] = [alias(references, 'collection'), alias(references, 'parent')];

/** Finds all collections with their parents. */
const findCollections = prepare(({ uris }: Named<{ uris: string }>) =>
  plain(
    sql`SELECT ${nodes.id}, ${nodes.label}, ${nodes.bundle}, ${nodes.ownerId}, ${nodes.status},
        ${accessSetOf(nodes.id)}, (SELECT json_group_array(${parent.targetId}) FROM ${references} ${parent} WHERE ${isParentOf(parent, nodes.id)})
      FROM ${nodes} WHERE ${nodes.id} IN (
        SELECT ${collection.sourceId} FROM ${termUris} CROSS JOIN ${references} ${collection}
          ON ${collection.targetId} = ${termUris.termId}
        WHERE ${isAmong(termUris.uri, uris)} AND ${collection.targetType} = 'taxonomy_term'
          AND ${collection.field} = 'field_model' AND ${collection.sourceType} = 'node')
      ORDER BY ${nodes.id}`,
    {
      ...{ id: nodes.id, label: nodes.label, bundle: nodes.bundle, ownerId: nodes.ownerId, status: nodes.status },
      ...{ accessSet: sql<number>`access_set`, parents: sql<string>`parents` },
    },
  ),
);

type SetServices = Pick<HarvestServices, 'database' | 'model' | 'kinds' | 'viewer'>;

/** Finds the collections that harvesters may view. */
export async function findSets({ database, model, kinds, viewer }: SetServices): Promise<Sets> {
  const { access, bundles } = kinds.node;
  const rows = await database.all(findCollections({ uris: JSON.stringify(model.models.urisOf('collection')) }));
  const visible = rows.filter((row) => bundles.has(row.bundle) && access.view(viewer, row).isAllowed);
  const names = new Map(visible.map(({ id, label }) => [id, label]));
  const parentsOf = new Map(visible.map(({ id, parents }) => [id, idsIn(parents)]));
  const childrenOf = new Map<number, number[]>();
  for (const [id, parents] of parentsOf)
    for (const each of parents) childrenOf.set(each, [...(childrenOf.get(each) ?? []), id]);
  const known = new Map<string, number[]>();
  return {
    names,
    below: (id) => JSON.stringify([...closure([id], (each) => childrenOf.get(each) ?? [])]),
    above(parents) {
      let sets = known.get(parents);
      if (sets === undefined) {
        const direct = idsIn(parents).filter((id) => names.has(id));
        const all = closure(direct, (each) => (parentsOf.get(each) ?? []).filter((id) => names.has(id)));
        sets = [...all].sort((a, b) => a - b);
        known.set(parents, sets);
      }
      return sets;
    },
  };
}

function idsIn(list: string): number[] {
  return list === '[]' ? [] : (JSON.parse(list) as number[]);
}

/** Returns ids with all that can be reached from them. A collection may be above itself. */
function closure(ids: readonly number[], next: (id: number) => readonly number[]): Set<number> {
  const reached = new Set(ids);
  for (const id of reached) for (const each of next(id)) reached.add(each);
  return reached;
}
