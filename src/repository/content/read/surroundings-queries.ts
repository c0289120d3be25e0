import { and, eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { GENERATION } from '../../../database/dated.ts';
import { query } from '../../../database/query-builder.ts';
import { media, nodes, terms } from '../../../database/schema/content.ts';
import { files } from '../../../database/schema/files.ts';
import { references, termUris } from '../../../database/schema/references.ts';
import { isAmong, isText, literal, namesOf, nested } from '../../../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../../../database/statement.ts';
import type { MediaType } from '../../../model/content-model.ts';
import { accessSetOf, mediaSetOf } from '../../access/set-columns.ts';
import type { Actor } from '../../actor.ts';
import { typeOfFileColumns } from '../../files/file-type.ts';
import { isMediaOf } from '../../relations.ts';
import { HAS_REMOVED } from '../../removed-targets.ts';
import { lostNodeAfterWrite, mediaNodesOf } from '../media-nodes.ts';
import { type ViewerValues, type VisibleKind, visibilityKey, visibleThroughNode } from '../visible-rows.ts';

/**
 * The queries of `find-surroundings.ts`. Each returns one row with JSON lists: a row per link would cost several times
 * as much in the driver as in the database.
 */

type MediaTypes = ReadonlyMap<string, MediaType>;

/** The values of the query: JSON lists of ids or null, and the node whose media are wanted. */
export type SurroundingsValues = {
  readonly nodeIds: string | null;
  readonly mediaIds: string | null;
  readonly fileId: number | null;
  readonly hostId: number | null;
  readonly limit: number;
  readonly offset: number;
  /** A JSON list of the uses that the rules of the host leave open; null if they close no files. */
  readonly hostUses: string | null;
} & ViewerValues;

/** The separator of the parts of `linked`, which none of them contains. */
export const LINKED_SEPARATOR = '\n';

const medium = alias(media, 'm');
const [use, source, file] = [alias(references, 'u'), alias(references, 's'), alias(files, 'f')];

/** Returns the expression for the name of the source field of a media. */
export function sourceFieldOf(mediaTypes: MediaTypes, bundle: SQLiteColumn): SQL {
  const cases = [...mediaTypes.values()].map(
    ({ name, sourceField }) => sql` WHEN ${literal(name)} THEN ${literal(sourceField.name)}`,
  );
  return cases.length === 0 ? sql`NULL` : sql`CASE ${bundle}${sql.join(cases)} END`;
}

/** Returns the expression that `media.linked` stores: the uses and the source file of a media, looked up. */
function linkedOf(mediaTypes: MediaTypes, { id, bundle }: Record<'id' | 'bundle', SQLiteColumn>): SQL {
  const sourceField = sourceFieldOf(mediaTypes, bundle);
  const uses = query
    .select({ ids: sql`group_concat(${use.targetId}, ' ')` })
    .from(use)
    .where(
      and(
        isText(use.sourceType, 'media'),
        eq(use.sourceId, id),
        isText(use.field, 'field_media_use'),
        isText(use.targetType, 'taxonomy_term'),
      ),
    );
  const parts = [file.id, file.ownerId, file.uri, typeOfFileColumns(file)].map((part) => sql`char(10) || ${part}`);
  const sourceFile = sql`SELECT ${sql.join(parts, sql` || `)} FROM ${references} ${source}
    JOIN ${files} ${file} ON ${source.targetType} = 'file' AND ${file.id} = ${source.targetId}
    WHERE ${source.sourceType} = 'media' AND ${source.sourceId} = ${id} AND ${source.delta} = 0
      AND ${source.field} = ${sourceField}`;
  return sql`coalesce(${uses}, '') || coalesce((${sourceFile}), '')`;
}

/** Returns the stored value of `media.linked`, or the one that is looked up if it is not stored. */
function linkedNow(mediaTypes: MediaTypes): SQL {
  const isCurrent = sql`${medium.isDangling} = 0 AND NOT ${HAS_REMOVED}`;
  return sql`coalesce(CASE WHEN ${isCurrent} THEN ${medium.linked} END, ${linkedOf(mediaTypes, medium)})`;
}

/** Prepares the statement that updates the columns derived from the references of a media. */
export function keepLinked(mediaTypes: MediaTypes): (media: { readonly uuid: string }) => Statement {
  const set = { linked: linkedOf(mediaTypes, media), hasLostNode: lostNodeAfterWrite(media) };
  return prepare(({ uuid }: Named<{ uuid: string }>) => query.update(media).set(set).where(eq(media.uuid, uuid)));
}

type Facts = Record<'id' | 'bundle' | 'ownerId' | 'status' | 'label', SQLiteColumn>;

/** Returns rows as a JSON list of lists, each beginning with the columns of `FactsRow`. */
function listOf({ id, bundle, ownerId, status, label }: Facts, more: readonly SQLWrapper[]): SQL {
  return sql`json_group_array(json_array(${sql.join([id, bundle, ownerId, status, label, ...more], sql`, `)}))`;
}

/** The lists of a row that are asked for. A database server plans each statement again, so that it gets no idle parts. */
type Parts = Readonly<Record<'nodes' | 'media' | 'file' | 'attached', boolean>>;

const partsOf = ({ nodeIds, mediaIds, fileId, hostId }: SurroundingsValues): Parts => ({
  nodes: nodeIds !== null,
  media: mediaIds !== null,
  file: fileId !== null,
  attached: hostId !== null,
});

const EMPTY = sql`'[]'`;

/** Returns the query of one row with the columns `COLUMNS`. */
function surroundingsOf(
  mediaTypes: MediaTypes,
  parts: Parts,
  isVisible: SQL,
  { nodeIds, mediaIds, fileId, hostId, limit, offset }: Named<SurroundingsValues>,
): SQL {
  const linked = linkedNow(mediaTypes);
  const { id, ownerId, uri } = files;
  const listed = [medium.id, medium.bundle, medium.ownerId, medium.status, medium.label];
  // CROSS JOIN fixes the order of the join: without statistics the database would choose a slow one.
  const attached = sql`SELECT ${sql.join(listed, sql`, `)}, ${mediaSetOf(medium.id)} AS own_set, ${linked} AS linked_now
    FROM ${references} CROSS JOIN ${media} ${medium} ON ${medium.id} = ${references.sourceId}
    WHERE ${isMediaOf(references, hostId)} AND ${isVisible}
    ORDER BY ${references.weight}, ${references.sourceId} LIMIT ${limit} OFFSET ${offset}`;
  const attachedNames = sql`${namesOf(...listed)}, own_set, linked_now`;
  const columns = [
    parts.nodes
      ? sql`(SELECT ${listOf(nodes, [accessSetOf(nodes.id)])} FROM ${nodes} WHERE ${isAmong(nodes.id, nodeIds)})`
      : EMPTY,
    parts.media
      ? sql`(SELECT ${listOf(medium, [mediaSetOf(medium.id), linked, mediaNodesOf(medium)])} FROM ${media} ${medium}
          WHERE ${isAmong(medium.id, mediaIds)})`
      : EMPTY,
    parts.file
      ? sql`(SELECT json_array(${id}, ${ownerId}, ${uri}, ${typeOfFileColumns(files)}) FROM ${files} WHERE ${id} = ${fileId})`
      : sql`NULL`,
    parts.attached ? sql`(SELECT json_group_array(json_array(${attachedNames})) FROM (${attached}))` : EMPTY,
  ];
  return sql`SELECT ${sql.join(columns, sql`, `)}`;
}

/** The columns of a row of surroundings, as JSON; `file` is null if there is none. */
const COLUMNS = {
  nodes: sql<string>`nodes`,
  media: sql<string>`media`,
  file: sql<string | null>`file`,
  attached: sql<string>`attached`,
};

/** A row of surroundings. */
export type SurroundingsRow = SelectResultFields<typeof COLUMNS>;

const term = alias(terms, 't');

const uriOf = (field: string): SQL<string | null> =>
  nested(sql`(SELECT ${termUris.uri} FROM ${termUris} WHERE ${termUris.termId} = ${term.id}
    AND ${termUris.field} = ${literal(field)} AND ${termUris.delta} = 0)`);

/** The columns of a term, in the order of `TermRow`. */
const TERM_COLUMNS = {
  id: term.id,
  bundle: term.bundle,
  ownerId: term.ownerId,
  status: term.status,
  label: term.label,
  external: uriOf('field_external_uri'),
  authority: uriOf('field_authority_link'),
  language: sql<string | null>`json_extract(${term.document}, '$.langcode[0].value')`,
};

/** Finds terms by a JSON list of ids. */
export const findTerms = prepare(({ ids }: Named<{ ids: string }>) =>
  query.select(TERM_COLUMNS).from(term).where(isAmong(term.id, ids)),
);

/**
 * Returns the query of a row of surroundings with two more columns: the generation, and the terms of a JSON list of ids
 * with those of the uses of media in the row.
 */
function withTerms(surroundings: SQL, parts: Parts, termIds: SQLWrapper): SQL {
  const names = sql.join(Object.values(COLUMNS), sql`, `);
  const ids = [
    sql`SELECT value FROM json_each(${termIds})`,
    ...(parts.media ? [usesIn(COLUMNS.media)] : []),
    ...(parts.attached ? [usesIn(COLUMNS.attached)] : []),
  ];
  const list = sql`json_group_array(json_array(${sql.join(Object.values(TERM_COLUMNS), sql`, `)}))`;
  return sql`WITH around(${names}) AS MATERIALIZED (${surroundings})
    SELECT ${names}, ${GENERATION},
      (SELECT ${list} FROM ${terms} ${term} WHERE ${term.id} IN (${sql.join(ids, sql` UNION `)})) FROM around`;
}

/** Returns the query of the ids of uses, with which `linked` begins, in a JSON list of media. */
function usesIn(list: SQLWrapper): SQL {
  return sql`SELECT used.value
    FROM (SELECT json_extract(value, '$[6]') || char(10) AS linked FROM json_each(${list})) item,
      json_each('[' || replace(substr(item.linked, 1, instr(item.linked, char(10)) - 1), ' ', ',') || ']') used`;
}

/** The prepared queries for a row of surroundings. */
export type SurroundingsQueries = ReturnType<typeof prepareSurroundings>;

function prepareSurroundings(
  mediaTypes: MediaTypes,
  parts: Parts,
  isVisible: (values: Named<SurroundingsValues>) => SQL,
) {
  const columns = { ...COLUMNS, generation: GENERATION, terms: sql<string>`terms` };
  const around = (values: Named<SurroundingsValues>) => surroundingsOf(mediaTypes, parts, isVisible(values), values);
  return {
    alone: prepare((values: Named<SurroundingsValues>) => plain(around(values), COLUMNS)),
    withTerms: prepare((values: Named<SurroundingsValues & { readonly termIds: string }>) =>
      plain(withTerms(around(values), parts, values.termIds), columns),
    ),
  };
}

/**
 * Prepares the queries once for each set of wanted lists and per visibility of media. They follow a node that the actor may view,
 * and whose files, with `hasOpenFiles`, no rule closes.
 */
export function createSurroundingsQueries(
  mediaTypes: MediaTypes,
): (kind: VisibleKind, actor: Actor, values: SurroundingsValues) => SurroundingsQueries {
  const prepared = new Map<string, SurroundingsQueries>();
  return (kind, actor, values) => {
    const parts = partsOf(values);
    const hasOpenFiles = values.hostUses === null;
    const key = `${Object.values(parts)} ${hasOpenFiles} ${visibilityKey(kind, actor)}`;
    let known = prepared.get(key);
    if (known === undefined) {
      known = prepareSurroundings(mediaTypes, parts, (viewer) =>
        visibleThroughNode(kind, actor, medium, viewer, hasOpenFiles ? undefined : viewer.hostUses),
      );
      prepared.set(key, known);
    }
    return known;
  };
}
