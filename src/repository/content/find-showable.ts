import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { madeOnce } from '../../base/made-once.ts';
import { media, nodes } from '../../database/schema/content.ts';
import { files } from '../../database/schema/files.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { literal } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { Item } from '../../model/content-model.ts';
import { mediaAccess, nodeAccess } from '../access.ts';
import type { ContentFacts } from '../access-rule.ts';
import type { Actor } from '../actor.ts';
import type { Services } from './services.ts';
import { languageIn, type ShowableMedia, type ShowableNode, type ShowableTree } from './showable.ts';

/** Number of members per query: their media remain far below the 10 MB that a libSQL server returns. */
const MEMBERS_PER_QUERY = 1_000;
/** Maximum number of members that are shown together with their node. */
export const MAX_SHOWN_MEMBERS = 10_000;
/** The beginning of a document, which has the language. */
const HEAD_CHARS = 250;
const USE_SEPARATOR = '\n';

type NodeRow = [id: number, bundle: string, ownerId: number, status: number, label: string, head: string];
type MediaRow = [
  ...[nodeId: number, id: number, uuid: string, bundle: string, ownerId: number, status: number, label: string],
  ...[head: string, uses: string | null, tracks: string | null],
  ...[fileId: number, uri: string, mimeType: string, bytes: number, width: number | null, height: number | null],
  ...[storageKey: string, storedIn: string | null],
];

type Wanted = { readonly nodeId: number; readonly limit: number; readonly offset: number };

const [link, use, source] = [alias(references, 'r'), alias(references, 'u'), alias(references, 's')];
const [member, parent, model] = [alias(references, 'p'), alias(references, 'o'), alias(references, 'k')];

/**
 * Prepares the query of a node and a range of its members with all of their media: one row with two JSON lists, since a
 * row per media would cost several times as much in the driver. CROSS JOIN fixes the order of the joins.
 */
const findFor = madeOnce(({ model: { mediaTypes }, fields }: Services) => {
  const sourceFields = [...mediaTypes.values()].map(
    ({ name, sourceField }) => sql` WHEN ${literal(name)} THEN ${literal(sourceField.name)}`,
  );
  const tracks = [...mediaTypes.values()].flatMap((type) => {
    const names = type.fields.filter((field) => fields.types.of(field).isTrack).map(({ name }) => name);
    const items = names.map((name) => sql`json_extract(${media.document}, ${literal(`$.${name}`)})`);
    return items.length === 0
      ? []
      : [sql` WHEN ${literal(type.name)} THEN json_array(${sql.join(items, sql`, `)}) || ''`];
  });
  const caseOf = (cases: readonly ReturnType<typeof sql>[]) =>
    cases.length === 0 ? sql`NULL` : sql`CASE ${media.bundle}${sql.join([...cases])} END`;
  const head = (document: typeof nodes.document | typeof media.document) =>
    sql`substr(${document}, 1, ${sql.raw(String(HEAD_CHARS))})`;
  const uses = sql`(SELECT group_concat(${termUris.uri}, char(10)) FROM ${references} ${use}
    CROSS JOIN ${termUris} ON ${termUris.termId} = ${use.targetId} AND ${termUris.field} = 'field_external_uri'
      AND ${termUris.delta} = 0
    WHERE ${use.sourceType} = 'media' AND ${use.sourceId} = ${media.id} AND ${use.field} = 'field_media_use')`;
  const nodeRow = [nodes.id, nodes.bundle, nodes.ownerId, nodes.status, nodes.label, head(nodes.document)];
  const mediaRow = [
    ...[link.targetId, media.id, media.uuid, media.bundle, media.ownerId, media.status, media.label],
    ...[head(media.document), uses, caseOf(tracks)],
    ...[files.id, files.uri, files.filemime, files.filesize, files.width, files.height],
    ...[files.storageKey, files.storedIn],
  ];
  return prepare(({ nodeId, limit, offset }: Named<Wanted>) =>
    plain(
      sql`WITH shown (id) AS MATERIALIZED (
          SELECT ${nodeId} UNION ALL SELECT * FROM (SELECT ${member.sourceId} FROM ${references} ${member}
            WHERE ${member.targetType} = 'node' AND ${member.targetId} = ${nodeId}
              AND ${member.sourceType} = 'node' AND ${member.field} = 'field_member_of'
            ORDER BY ${member.weight}, ${member.sourceId} LIMIT ${limit} OFFSET ${offset}))
        SELECT (SELECT json_group_array(json_array(${sql.join(nodeRow, sql`, `)}))
            FROM shown CROSS JOIN ${nodes} ON ${nodes.id} = shown.id),
          (SELECT json_group_array(json_array(${sql.join(mediaRow, sql`, `)}))
            FROM (SELECT DISTINCT id FROM shown) shown
              CROSS JOIN ${references} ${link} ON ${link.targetType} = 'node' AND ${link.targetId} = shown.id
                AND ${link.sourceType} = 'media' AND ${link.field} = 'field_media_of'
              CROSS JOIN ${media} ON ${media.id} = ${link.sourceId}
              CROSS JOIN ${references} ${source} ON ${source.sourceType} = 'media' AND ${source.sourceId} = ${media.id}
                AND ${source.field} = ${caseOf(sourceFields)} AND ${source.delta} = 0
              CROSS JOIN ${files} ON ${source.targetType} = 'file' AND ${files.id} = ${source.targetId}),
          (SELECT json_group_array(json_array(${parent.targetId}, ${termUris.uri}))
            FROM ${references} ${parent}
              CROSS JOIN ${references} ${model} ON ${model.sourceType} = 'node' AND ${model.sourceId} = ${parent.targetId}
                AND ${model.field} = 'field_model'
              CROSS JOIN ${termUris} ON ${termUris.termId} = ${model.targetId}
                AND ${termUris.field} = 'field_external_uri' AND ${termUris.delta} = 0
            WHERE ${parent.sourceType} = 'node' AND ${parent.sourceId} = ${nodeId}
              AND ${parent.field} = 'field_member_of'),
          (SELECT count(*) - 1 FROM shown)`,
      {
        nodes: sql<string>`nodes`,
        media: sql<string>`media`,
        parents: sql<string>`parents`,
        members: sql<number>`members`,
      },
    ),
  );
});

/**
 * Finds a node and its members with all media that have a file, as far as the actor may view them: one statement for each
 * thousand members, up to `MAX_SHOWN_MEMBERS`. Undefined if the actor may not view the node or it does not exist.
 */
export async function findShowable(
  services: Services,
  actor: Actor,
  nodeId: number,
): Promise<ShowableTree | undefined> {
  const found = new Map<number, ShowableNode>();
  let parents = '[]';
  for (let offset = 0; offset < MAX_SHOWN_MEMBERS; offset += MEMBERS_PER_QUERY) {
    const row = await services.database.get(findFor(services)({ nodeId, limit: MEMBERS_PER_QUERY, offset }));
    if (row === undefined) break;
    ({ parents } = row);
    for (const node of readNodes(services, actor, row)) if (!found.has(node.id)) found.set(node.id, node);
    if (row.members < MEMBERS_PER_QUERY) break;
  }
  const node = found.get(nodeId);
  // A node in a cycle may be its own member.
  found.delete(nodeId);
  return (
    node && { node, members: [...found.values()], parentModels: new Map(JSON.parse(parents) as [number, string][]) }
  );
}

/** Returns the nodes of a row that the actor may view, with their media. */
function readNodes(services: Services, actor: Actor, row: { nodes: string; media: string }): ShowableNode[] {
  const { nodeTypes } = services.model;
  const facts = new Map<number, ContentFacts>();
  const listed: ShowableNode[] = [];
  const mediaOf = new Map<number, ShowableMedia[]>();
  for (const [id, bundle, ownerId, status, label, head] of JSON.parse(row.nodes) as NodeRow[]) {
    const node = { bundle, ownerId, status: status === 1 };
    if (facts.has(id) || !nodeTypes.has(bundle) || !nodeAccess.view(actor, node).isAllowed) continue;
    const list: ShowableMedia[] = [];
    facts.set(id, node);
    mediaOf.set(id, list);
    listed.push({ id, label, language: languageIn(head), media: list });
  }
  const added = new Set<string>();
  for (const each of JSON.parse(row.media) as MediaRow[]) {
    const [nodeId, id] = each;
    const node = facts.get(nodeId);
    const key = `${nodeId} ${id}`;
    // A media may name its node twice.
    if (node === undefined || added.has(key) || !mayView(actor, each, node)) continue;
    added.add(key);
    mediaOf.get(nodeId)?.push(readMedia(each));
  }
  return listed;
}

/** Returns true if the actor may view a media of a node that the actor may view, and may therefore read its file. */
function mayView(actor: Actor, row: MediaRow, node: ContentFacts): boolean {
  const [, , , bundle, ownerId, status] = row;
  const belongsTo = { nodes: [node], hasLostNode: false };
  return mediaAccess.view(actor, { bundle, ownerId, status: status === 1, belongsTo }).isAllowed;
}

function readMedia(row: MediaRow): ShowableMedia {
  const [, id, uuid, bundle, , , label, head, uses, tracks, fileId, uri, mimeType, bytes, width, height] = row;
  const [storageKey, storedIn] = [row[16], row[17]];
  return {
    ...{ id, uuid, bundle, label, language: languageIn(head) },
    uses: uses === null ? [] : uses.split(USE_SEPARATOR),
    tracks: tracks === null ? [] : (JSON.parse(tracks) as (Item[] | null)[]).flatMap((items) => items ?? []),
    file: { id: fileId, uri, mimeType, bytes, width, height, storageKey, storedIn },
  };
}
