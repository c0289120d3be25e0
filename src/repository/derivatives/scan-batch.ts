import type { Row } from '@libsql/client';
import type { Services } from '../services.ts';
import type { SourceFacts } from './find-wanted.ts';
import { findManyNodeFacts, type NodeFacts } from './node-facts.ts';

/** Media at a time: enough to share the cost of a commit, few enough to keep nobody waiting. */
export const BATCH_MEDIA = 250;

/** Which media are looked at: all up to one, or those of one node. */
export type ScanRange = { readonly lastId: number } | { readonly nodeId: number; readonly withMembers: boolean };

/** A media with a source file. */
export interface ScannedSource extends SourceFacts {
  readonly mediaId: number;
  readonly mediaVersion: number;
  /** When its file got the bytes that it has. */
  readonly changed: number;
}

/** Some media, and what rules ask of them. */
export interface ScanBatch {
  /** How many media were looked at. */
  readonly count: number;
  /** The last of them. */
  readonly position: number;
  readonly isLast: boolean;
  /** Those of them that have a source file. */
  readonly sources: readonly ScannedSource[];
  /** Their nodes, and those that these are members of. */
  readonly nodes: ReadonlyMap<number, NodeFacts>;
}

/** In the order of the index: an entry for each reference. */
const REFERENCES = `(SELECT json_group_array(json_array(field, target_type, target_id)) FROM (
  SELECT r.field, r.target_type, r.target_id FROM reference r
  WHERE r.source_type = 'media' AND r.source_id = m.id ORDER BY r.field, r.delta))`;

const OF_NODE = `SELECT r.source_id FROM reference r WHERE r.source_type = 'media' AND r.field = 'field_media_of'
  AND r.target_type = 'node' AND r.target_id IN (
    SELECT ?1 UNION ALL SELECT p.source_id FROM reference p WHERE p.target_type = 'node' AND p.target_id = ?1
      AND p.source_type = 'node' AND p.field = 'field_member_of' AND ?2)`;

type Reference = [field: string, targetType: string, targetId: number];

/** Reads the media of a range that follow a position, lowest id first, with as many queries for many as for one. */
export async function readScanBatch(services: Services, range: ScanRange, position: number): Promise<ScanBatch> {
  const rows = await readMedia(services, range, position);
  const found = rows.flatMap((row) => partsOf(services, row) ?? []);
  const files = await findSourceFiles(
    services,
    found.map(({ fileId }) => fileId),
  );
  const sources = found.flatMap(({ fileId, ...rest }) => {
    const file = files.get(fileId);
    return file === undefined ? [] : [{ ...rest, ...file, chain: [] }];
  });
  const last = rows.at(-1);
  return {
    count: rows.length,
    position: last === undefined ? position : Number(last[0]),
    isLast: rows.length < BATCH_MEDIA,
    sources,
    nodes: await findNodes(services, sources),
  };
}

/** How many media a range of one node holds. */
export async function countMediaOfNode(
  { database }: Services,
  { nodeId, withMembers }: Extract<ScanRange, { nodeId: number }>,
): Promise<number> {
  const row = await database.first(`SELECT count(*) FROM media m WHERE m.id IN (${OF_NODE})`, [nodeId, +withMembers]);
  return Number(row?.[0]);
}

async function readMedia({ database }: Services, range: ScanRange, position: number): Promise<Row[]> {
  const [condition, args] =
    'nodeId' in range
      ? [`m.id IN (${OF_NODE}) AND m.id > ?3`, [range.nodeId, +range.withMembers, position]]
      : ['m.id <= ?1 AND m.id > ?2', [range.lastId, position]];
  const { rows } = await database.client.execute({
    sql: `SELECT m.id, m.bundle, m.version, ${REFERENCES} FROM media m WHERE ${condition}
      ORDER BY m.id LIMIT ${BATCH_MEDIA}`,
    args,
  });
  return rows;
}

/** What the references of a media say; undefined for one without a file. */
function partsOf({ model }: Services, row: Row) {
  const type = model.mediaTypes.get(String(row[1]));
  if (type === undefined) return undefined;
  const references = JSON.parse(String(row[3])) as Reference[];
  const targetOf = (name: string, target: string) =>
    references.find(([field, targetType]) => field === name && targetType === target)?.[2];
  const fileId = targetOf(type.sourceField.name, 'file');
  if (fileId === undefined) return undefined;
  return {
    mediaId: Number(row[0]),
    mediaVersion: Number(row[2]),
    type,
    fileId,
    nodeId: targetOf('field_media_of', 'node'),
    termIds: references.flatMap(([, targetType, id]) => (targetType === 'taxonomy_term' ? [id] : [])),
  };
}

async function findSourceFiles({ database }: Services, ids: readonly number[]) {
  const { rows } = await database.client.execute({
    sql: 'SELECT id, uri, filemime, changed FROM file WHERE id IN (SELECT value FROM json_each(?))',
    args: [JSON.stringify(ids)],
  });
  return new Map(
    rows.map((row) => {
      const file = { uri: String(row[1]), filemime: String(row[2]) };
      return [Number(row[0]), { file, changed: Number(row[3]) }];
    }),
  );
}

async function findNodes({ database, derivatives }: Services, sources: readonly ScannedSource[]) {
  const { rules, terms } = derivatives;
  const ids = new Set(sources.flatMap(({ nodeId }) => nodeId ?? []));
  const nodes = await findManyNodeFacts(database, terms, ids);
  if (![...rules.actions.values()].some(({ ofMembers }) => ofMembers)) return nodes;
  const parentIds = new Set([...nodes.values()].flatMap(({ parentId }) => parentId ?? [])).difference(ids);
  const parents = await findManyNodeFacts(database, terms, parentIds);
  return new Map([...nodes, ...parents]);
}
