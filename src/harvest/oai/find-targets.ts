import { query } from '../../database/query-builder.ts';
import { nodes } from '../../database/schema/content.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { FieldDefinition, Item } from '../../model/content-model.ts';
import type { HarvestFormat } from '../../model/harvest-model.ts';
import { accessSetOf } from '../../repository/access/set-columns.ts';
import type { ParsedContent } from '../../repository/content/content.ts';
import type { Neighbour } from '../../repository/content/read/surroundings.ts';
import { type AgentFacts, findAgentFacts, findRecordFiles, type RecordFile } from './find-related.ts';
import type { RecordServices } from './harvest-services.ts';

/** The parts of records beside the values of their nodes. */
export interface Related {
  readonly targets: Targets;
  /** By node. */
  readonly files: ReadonlyMap<number, readonly RecordFile[]>;
  /** By the term of an agent. */
  readonly agents: ReadonlyMap<number, AgentFacts>;
}

/** Reads what records in a format contain beside the values of their nodes, as the viewer of the services may view it. */
export async function findRelated(
  services: RecordServices,
  format: HarvestFormat,
  contents: readonly ParsedContent[],
): Promise<Related> {
  const [targets, files, agents] = await Promise.all([
    findTargets(services, contents),
    format.files.length === 0 ? new Map() : findRecordFiles(services, contents),
    findAgentFacts(services, agentsIn(contents)),
  ]);
  return { targets, files, agents };
}

/** Returns the terms that contents refer to with a role. */
function agentsIn(contents: readonly ParsedContent[]): number[] {
  const ids = new Set<number>();
  for (const { bundle, members } of contents)
    for (const { name, relationTypes, targetType } of bundle.fields)
      if (relationTypes !== undefined && targetType === 'taxonomy_term')
        for (const { target_id } of members[name] ?? []) if (typeof target_id === 'number') ids.add(target_id);
  return [...ids];
}

/** The terms and nodes that records refer to and that harvesters may see. */
interface Targets {
  /** Returns the target of a reference; undefined for a hidden one and for other types. */
  of(definition: FieldDefinition, item: Item): Neighbour | undefined;
}

const findNodes = prepare(({ ids }: Named<{ ids: string }>) =>
  query
    .select({
      ...{ id: nodes.id, bundle: nodes.bundle, ownerId: nodes.ownerId, status: nodes.status, label: nodes.label },
      accessSet: accessSetOf(nodes.id),
    })
    .from(nodes)
    .where(isAmong(nodes.id, ids)),
);

/** Reads the targets of records: cached terms, and all others in one query for each type. */
async function findTargets(
  { database, kinds, viewer, terms }: RecordServices,
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
    if (bundles.has(target.bundle) && access.view(viewer, target).isAllowed)
      visible[target.type].set(target.id, target);
  }
  return {
    of({ targetType }, { target_id }) {
      if (typeof target_id !== 'number') return undefined;
      return targetType === 'taxonomy_term' || targetType === 'node' ? visible[targetType].get(target_id) : undefined;
    },
  };
}
