import { query } from '../../database/query-builder.ts';
import { nodes } from '../../database/schema/content.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { FieldDefinition, Item } from '../../model/content-model.ts';
import type { ParsedContent } from '../../repository/content/content.ts';
import type { Neighbour } from '../../repository/content/read/surroundings.ts';
import type { HarvestServices } from './harvest-services.ts';

/** The terms and nodes that records refer to and that harvesters may see. */
export interface Targets {
  /** Returns the target of a reference; undefined for a hidden one and for other types. */
  of(definition: FieldDefinition, item: Item): Neighbour | undefined;
}

const findNodes = prepare(({ ids }: Named<{ ids: string }>) =>
  query
    .select({ id: nodes.id, bundle: nodes.bundle, ownerId: nodes.ownerId, status: nodes.status, label: nodes.label })
    .from(nodes)
    .where(isAmong(nodes.id, ids)),
);

/** Reads the targets of records: cached terms, and all others in one query for each type. */
export async function findTargets(
  { database, kinds, anonymous, terms }: HarvestServices,
  contents: readonly ParsedContent[],
): Promise<Targets> {
  const known = terms.forAnswer();
  const ids = { taxonomy_term: new Set<number>(), node: new Set<number>() };
  for (const { bundle, members } of contents)
    for (const { name, targetType } of bundle.fields) {
      if (targetType !== 'taxonomy_term' && targetType !== 'node') continue;
      for (const { target_id } of members[name] ?? [])
        if (typeof target_id === 'number') ids[targetType].add(target_id);
    }
  await known.complete([...ids.taxonomy_term]);
  const rows = ids.node.size === 0 ? [] : await database.all(findNodes({ ids: JSON.stringify([...ids.node]) }));
  const neighbours = [
    ...[...ids.taxonomy_term].flatMap((id) => known.find(id) ?? []),
    ...rows.map((row): Neighbour => ({ type: 'node', ...row, externalUri: undefined, authorityUri: undefined })),
  ];
  const visible = { taxonomy_term: new Map<number, Neighbour>(), node: new Map<number, Neighbour>() };
  for (const target of neighbours) {
    if (target.type === 'media') continue;
    const { access, bundles } = kinds[target.type];
    if (bundles.has(target.bundle) && access.view(anonymous, target).isAllowed)
      visible[target.type].set(target.id, target);
  }
  return {
    of({ targetType }, { target_id }) {
      if (typeof target_id !== 'number') return undefined;
      return targetType === 'taxonomy_term' || targetType === 'node' ? visible[targetType].get(target_id) : undefined;
    },
  };
}
