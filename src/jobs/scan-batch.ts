import { and, count, eq, gt, lte, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { query } from '../database/query-builder.ts';
import { media } from '../database/schema/content.ts';
import { files } from '../database/schema/files.ts';
import { references } from '../database/schema/references.ts';
import { isAmong, isText } from '../database/sql.ts';
import { type Named, prepare } from '../database/statement.ts';
import { typeOfFileColumns } from '../repository/files/file-type.ts';
import { isMediaOf, isMemberOf, MEDIA_OF } from '../repository/relations.ts';
import type { SourceFacts } from './find-required.ts';
import type { JobServices } from './job-planner.ts';
import { findManyNodeFacts, type NodeFacts } from './node-facts.ts';

/** Number of media per batch: enough to share the cost of a commit, few enough for short transactions. */
const BATCH_MEDIA = 250;

/** The scanned media: all up to an id, or those of one node. */
type ScanRange = { readonly lastId: number } | { readonly nodeId: number; readonly withMembers: boolean };

/** A media with a source file. */
export interface ScannedSource extends SourceFacts {
  readonly mediaId: number;
  readonly mediaVersion: number;
  /** The time at which its file received its present bytes. */
  readonly changed: number;
}

/** A batch of media, with the facts that rules use. */
export interface ScanBatch {
  /** Number of scanned media. */
  readonly count: number;
  /** The id of the last one. */
  readonly position: number;
  readonly isLast: boolean;
  /** The media with a source file. */
  readonly sources: readonly ScannedSource[];
  /** Their nodes, and the parents of these nodes. */
  readonly nodes: ReadonlyMap<number, NodeFacts>;
}

/** Lists the references of a media, in the order of the index. */
const listed = query
  .select({ field: references.field, targetType: references.targetType, targetId: references.targetId })
  .from(references)
  .where(and(isText(references.sourceType, 'media'), eq(references.sourceId, media.id)))
  .orderBy(references.field, references.delta)
  .as('listed');
const listOfReferences = query
  .select({ list: sql`json_group_array(json_array(${listed.field}, ${listed.targetType}, ${listed.targetId}))` })
  .from(listed);

type NodeScope = { readonly nodeId: number; readonly withMembers: number };

const [link, member] = [alias(references, 'link'), alias(references, 'member')];

/** Returns the condition for the media of a node and, with `withMembers`, of its members. */
const isOfNode = ({ nodeId, withMembers }: Named<NodeScope>) =>
  sql`${media.id} IN (SELECT ${link.sourceId} FROM ${references} ${link}
    WHERE ${isMediaOf(link)} AND ${link.targetId} IN (SELECT ${nodeId}
      UNION ALL SELECT ${member.sourceId} FROM ${references} ${member}
        WHERE ${isMemberOf(member, nodeId)} AND ${withMembers}))`;

const mediaWith = (condition: SQL | undefined) =>
  query
    .select({
      id: media.id,
      bundle: media.bundle,
      version: media.version,
      references: sql<string>`${listOfReferences}`,
    })
    .from(media)
    .where(condition)
    .orderBy(media.id)
    .limit(BATCH_MEDIA);
type MediaRow = Awaited<ReturnType<typeof mediaWith>>[number];

const mediaUntil = prepare(({ lastId, position }: Named<{ lastId: number; position: number }>) =>
  mediaWith(and(lte(media.id, lastId), gt(media.id, position))),
);
const mediaOfNode = prepare((values: Named<NodeScope & { readonly position: number }>) =>
  mediaWith(and(isOfNode(values), gt(media.id, values.position))),
);
const countOfNode = prepare((node: Named<NodeScope>) =>
  query.select({ count: count() }).from(media).where(isOfNode(node)),
);
const sourceFiles = prepare(({ ids }: Named<{ ids: string }>) =>
  query
    .select({ id: files.id, uri: files.uri, filemime: typeOfFileColumns(files), changed: files.changed })
    .from(files)
    .where(isAmong(files.id, ids)),
);

type Reference = [field: string, targetType: string, targetId: number];

/** Reads the next media of a range, lowest id first, with a constant number of queries. */
export async function readScanBatch(services: JobServices, range: ScanRange, position: number): Promise<ScanBatch> {
  const rows = await readMedia(services, range, position);
  const parts = rows.flatMap((row) => partsOf(services, row) ?? []);
  const files = await findSourceFiles(
    services,
    parts.map(({ fileId }) => fileId),
  );
  const sources = parts.flatMap(({ fileId, ...rest }) => {
    const file = files.get(fileId);
    return file === undefined ? [] : [{ ...rest, ...file, chain: [] }];
  });
  const last = rows.at(-1);
  return {
    count: rows.length,
    position: last?.id ?? position,
    isLast: rows.length < BATCH_MEDIA,
    sources,
    nodes: await findNodes(services, sources),
  };
}

/** Returns the number of media of a node and, with `withMembers`, of its members. */
export async function countMediaOfNode(
  { database }: JobServices,
  { nodeId, withMembers }: Extract<ScanRange, { nodeId: number }>,
): Promise<number> {
  return (await database.get(countOfNode({ nodeId, withMembers: +withMembers })))?.count ?? 0;
}

function readMedia({ database }: JobServices, range: ScanRange, position: number): Promise<MediaRow[]> {
  const find =
    'nodeId' in range
      ? mediaOfNode({ nodeId: range.nodeId, withMembers: +range.withMembers, position })
      : mediaUntil({ lastId: range.lastId, position });
  return database.all(find);
}

/** Returns the facts in the references of a media; undefined for one without a file. */
function partsOf({ model }: JobServices, row: MediaRow) {
  const type = model.mediaTypes.get(row.bundle);
  if (type === undefined) return undefined;
  const referred = JSON.parse(row.references) as Reference[];
  const targetOf = (name: string, target: string) =>
    referred.find(([field, targetType]) => field === name && targetType === target)?.[2];
  const fileId = targetOf(type.sourceField.name, 'file');
  if (fileId === undefined) return undefined;
  return {
    mediaId: row.id,
    mediaVersion: row.version,
    type,
    fileId,
    nodeId: targetOf(MEDIA_OF, 'node'),
    termIds: referred.flatMap(([, targetType, id]) => (targetType === 'taxonomy_term' ? [id] : [])),
  };
}

async function findSourceFiles({ database }: JobServices, ids: readonly number[]) {
  const rows = await database.all(sourceFiles({ ids: JSON.stringify(ids) }));
  return new Map(rows.map(({ id, changed, ...file }) => [id, { file, changed }]));
}

async function findNodes({ database, derivatives }: JobServices, sources: readonly ScannedSource[]) {
  const { rules, terms } = derivatives;
  const ids = new Set(sources.flatMap(({ nodeId }) => nodeId ?? []));
  const nodes = await findManyNodeFacts(database, terms, ids);
  if (![...rules.actions.values()].some(({ ofMembers }) => ofMembers)) return nodes;
  const parentIds = new Set([...nodes.values()].flatMap(({ parentId }) => parentId ?? [])).difference(ids);
  const parents = await findManyNodeFacts(database, terms, parentIds);
  return new Map([...nodes, ...parents]);
}
