import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { madeOnce } from '../../../base/made-once.ts';
import { media, nodes } from '../../../database/schema/content.ts';
import { files } from '../../../database/schema/files.ts';
import { references, termUris } from '../../../database/schema/references.ts';
import { literal } from '../../../database/sql.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import type { MediaType } from '../../../model/content-model.ts';
import { accessSetOf, mediaSetOf } from '../../access/set-columns.ts';
import { typeOfFileColumns } from '../../files/file-type.ts';
import { isMediaOf, isMemberOf, isParentOf } from '../../relations.ts';
import { languageColumn } from '../language-column.ts';
import { mediaUseIds } from '../media-nodes.ts';
import type { Services } from '../services.ts';
import { preparePerVisibility, type ViewerValues, type VisibleKind } from '../visible-rows.ts';

/** The queries of `find-showable.ts`. Each returns one row with JSON lists: a row per media costs several times as much. */

/** The separator of the uses of a media. */
export const USE_SEPARATOR = '\n';

/** A node in the JSON list of `showableNodes`. More text may follow the language. `model` and `hasMembers` are null unless they are wanted. */
export type NodeRow = [
  ...[id: number, bundle: string, ownerId: number, status: number, accessSet: number, label: string],
  ...[language: string],
  ...[model: string | null, hasMembers: number | null],
];

/** A media in the JSON list of `showableNodes`. `tracks` is a JSON list of lists. */
export type MediaRow = [
  ...[nodeId: number, id: number, uuid: string, bundle: string, ownerId: number, status: number, accessSet: number],
  ...[label: string, uses: string | null, useIds: string, tracks: string | null],
  ...[fileId: number, uri: string, mimeType: string, bytes: number, width: number | null, height: number | null],
  ...[storageKey: string, storedIn: string | null],
];

const [link, use, source] = [alias(references, 'r'), alias(references, 'u'), alias(references, 's')];
const [member, parent, model] = [alias(references, 'p'), alias(references, 'o'), alias(references, 'k')];

const [child, held] = [alias(nodes, 'c'), alias(references, 'h')];

/** Returns the join of a node's model and its URI. */
const modelOf = (nodeId: SQLiteColumn) => sql`${references} ${model}
  CROSS JOIN ${termUris} ON ${termUris.termId} = ${model.targetId} AND ${termUris.field} = 'field_external_uri'
    AND ${termUris.delta} = 0
  WHERE ${model.sourceType} = 'node' AND ${model.sourceId} = ${nodeId} AND ${model.field} = 'field_model'`;

const usesOfMedia = sql`(SELECT group_concat(${termUris.uri}, char(10)) FROM ${references} ${use}
  CROSS JOIN ${termUris} ON ${termUris.termId} = ${use.targetId} AND ${termUris.field} = 'field_external_uri'
    AND ${termUris.delta} = 0
  WHERE ${use.sourceType} = 'media' AND ${use.sourceId} = ${media.id} AND ${use.field} = 'field_media_use')`;

/** Returns an expression that differs between media types. NULL for other types. */
function perMediaType(types: Iterable<MediaType>, of: (type: MediaType) => SQL | undefined): SQL {
  const cases = [...types].flatMap((type) => {
    const value = of(type);
    return value === undefined ? [] : [sql` WHEN ${literal(type.name)} THEN ${value}`];
  });
  return cases.length === 0 ? sql`NULL` : sql`CASE ${media.bundle}${sql.join(cases)} END`;
}

/**
 * Prepares the query of nodes by a JSON list of ids, with all of their media that have a file; `withKinds` also of the
 * model of each node, and of whether it has members with media that the actor may view. CROSS JOIN fixes the order of the joins.
 */
export const showableNodes = madeOnce(({ model: { mediaTypes }, fields }: Services) => {
  const types = [...mediaTypes.values()];
  const sourceField = perMediaType(types, (type) => literal(type.sourceField.name));
  const tracks = perMediaType(types, (type) => {
    const names = type.fields.filter((field) => fields.types.of(field).isTrack).map(({ name }) => name);
    const items = names.map((name) => sql`json_extract(${media.document}, ${literal(`$.${name}`)})`);
    // As text: a JSON value may lose its type on the way.
    return items.length === 0 ? undefined : sql`json_array(${sql.join(items, sql`, `)}) || ''`;
  });
  const nodeColumns = [nodes.id, nodes.bundle, nodes.ownerId, nodes.status, accessSetOf(nodes.id)];
  const nodeTexts = [nodes.label, languageColumn(nodes.document)];
  const mediaRow = [
    ...[link.targetId, media.id, media.uuid, media.bundle, media.ownerId, media.status, mediaSetOf(media.id)],
    ...[media.label, usesOfMedia, sql`${mediaUseIds(media.id)} || ''`, tracks],
    ...[files.id, files.uri, typeOfFileColumns(files), files.filesize, files.width, files.height],
    ...[files.storageKey, files.storedIn],
  ];
  const select = (ids: SQL, nodeRow: readonly (SQL | SQLiteColumn)[]) =>
    plain(
      sql`SELECT (SELECT json_group_array(json_array(${sql.join([...nodeRow], sql`, `)}))
            FROM json_each(${ids}) shown CROSS JOIN ${nodes} ON ${nodes.id} = shown.value),
          (SELECT json_group_array(json_array(${sql.join(mediaRow, sql`, `)})) FROM json_each(${ids}) shown
              CROSS JOIN ${references} ${link} ON ${isMediaOf(link, sql`shown.value`)}
              CROSS JOIN ${media} ON ${media.id} = ${link.sourceId}
              CROSS JOIN ${references} ${source} ON ${source.sourceType} = 'media' AND ${source.sourceId} = ${media.id}
                AND ${source.field} = ${sourceField} AND ${source.delta} = 0
              CROSS JOIN ${files} ON ${source.targetType} = 'file' AND ${files.id} = ${source.targetId})`,
      { nodes: sql<string>`nodes`, media: sql<string>`media` },
    );
  return {
    alone: prepare(({ ids }: Named<{ ids: string }>) =>
      select(ids, [...nodeColumns, ...nodeTexts, sql`NULL`, sql`NULL`]),
    ),
    withKinds: preparePerVisibility((_: VisibleKind, visible) =>
      prepare((values: Named<{ ids: string } & ViewerValues>) =>
        select(values.ids, [
          ...nodeColumns,
          ...nodeTexts,
          sql`(SELECT ${termUris.uri} FROM ${modelOf(nodes.id)})`,
          sql`EXISTS (SELECT 1 FROM ${references} ${member} CROSS JOIN ${nodes} ${child} ON ${child.id} = ${member.sourceId}
            CROSS JOIN ${references} ${held} ON ${isMediaOf(held, child.id)}
            WHERE ${isMemberOf(member, nodes.id)} AND ${visible(child, values)})`,
        ]),
      ),
    ),
  };
});

type Range = { readonly nodeId: number; readonly limit: number; readonly offset: number } & ViewerValues;

/**
 * Prepares the query of the ids of a range of a node's members that an actor may view, by weight and then by id, of their
 * number, and of the models of the nodes that it is a member of.
 */
export const membersOfNode = preparePerVisibility((_: VisibleKind, visible) =>
  prepare((values: Named<Range>) => {
    const { nodeId, limit, offset } = values;
    const members = sql`FROM ${references} ${member} CROSS JOIN ${nodes} ON ${nodes.id} = ${member.sourceId}
      WHERE ${isMemberOf(member, nodeId)} AND ${nodes.id} <> ${nodeId} AND ${visible(nodes, values)}`;
    return plain(
      sql`SELECT (SELECT json_group_array(id) FROM (SELECT DISTINCT ${member.sourceId} AS id, ${member.weight} ${members}
            ORDER BY ${member.weight}, ${member.sourceId} LIMIT ${limit} OFFSET ${offset})),
          (SELECT count(DISTINCT ${member.sourceId}) ${members}),
          (SELECT json_group_array(json_array(${parent.targetId},
              (SELECT ${termUris.uri} FROM ${modelOf(parent.targetId)})))
            FROM ${references} ${parent} WHERE ${isParentOf(parent, nodeId)})`,
      { ids: sql<string>`ids`, total: sql<number>`total`, parents: sql<string>`parents` },
    );
  }),
);

type NextMembers = { readonly ids: string; readonly limit: number; readonly offset: number } & ViewerValues;

/** Prepares the query of a range of the members with media of each node in a JSON list, by weight and then by id. */
export const nextMembers = preparePerVisibility((_: VisibleKind, visible) =>
  prepare((values: Named<NextMembers>) =>
    plain(
      sql`SELECT (SELECT json_group_array(json_array(shown.value,
          (SELECT json_group_array(id) || '' FROM (SELECT DISTINCT ${member.sourceId} AS id, ${member.weight}
            FROM ${references} ${member} CROSS JOIN ${nodes} ON ${nodes.id} = ${member.sourceId}
            WHERE ${isMemberOf(member, sql`shown.value`)} AND ${nodes.id} <> shown.value AND ${visible(nodes, values)}
              AND EXISTS (SELECT 1 FROM ${references} ${held} WHERE ${isMediaOf(held, nodes.id)})
            ORDER BY ${member.weight}, ${member.sourceId} LIMIT ${values.limit} OFFSET ${values.offset}))))
        FROM json_each(${values.ids}) shown)`,
      { lists: sql<string>`lists` },
    ),
  ),
);
