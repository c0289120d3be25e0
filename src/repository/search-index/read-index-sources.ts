import { and, eq, exists, inArray, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { query } from '../../database/query-builder.ts';
import { media, nodes, terms } from '../../database/schema/content.ts';
import { files } from '../../database/schema/files.ts';
import { references } from '../../database/schema/references.ts';
import { extractedTexts, nodeRecords } from '../../database/schema/search.ts';
import { isAmong, isText, isTextWithoutIndex, nested } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { epochSeconds } from '../../field-types/epoch-seconds.ts';
import type { FieldValues } from '../../model/content-model.ts';
import { alternativeNames } from '../alternative-names.ts';
import { typeOfFileColumns } from '../files/file-type.ts';
import { isMediaOf } from '../relations.ts';
import type { IndexedNode } from './describe-node.ts';
import type { ExtractedText } from './index-entry.ts';
import type { StoredRecord } from './index-statements.ts';
import type { SearchServices } from './search-services.ts';

/** A media of a node as the index sees it. */
export interface IndexedMedia {
  readonly id: number;
  readonly status: boolean;
  readonly uses: readonly number[];
  /** The MIME type of its source file; undefined without a file. */
  readonly mimeType: string | undefined;
}

/** Everything that the index entry of a node follows from, as stored. */
export interface IndexSource {
  /** Parses the document; throws SyntaxError for a damaged one. Undefined for a node that does not exist. */
  readonly node: (() => IndexedNode) | undefined;
  readonly media: readonly IndexedMedia[];
  readonly extracted: readonly (ExtractedText & { readonly mediaId: number })[];
  readonly record: StoredRecord | undefined;
}

type Ids = { readonly ids: string };

const isOfNodes = (ids: Named<Ids>['ids']) =>
  and(isText(references.sourceType, 'node'), isAmong(references.sourceId, ids));

const findNodes = prepare(({ ids }: Named<Ids>) => {
  const { id, bundle, status, ownerId, changed, label, document } = nodes;
  return query.select({ id, bundle, status, ownerId, changed, label, document }).from(nodes).where(isAmong(id, ids));
});
/** The names of published terms: others are invisible to most readers. */
const findNames = prepare(({ ids }: Named<Ids>) => {
  const used = query
    .select({ id: references.targetId })
    .from(references)
    .where(and(isOfNodes(ids), isTextWithoutIndex(references.targetType, 'taxonomy_term')));
  return query
    .select({ id: terms.id, label: terms.label, otherNames: alternativeNames(terms.document) })
    .from(terms)
    .where(and(inArray(terms.id, used), eq(terms.status, true)));
});
const linked = alias(nodes, 'linked');
const findLinkedNodes = prepare(({ ids }: Named<Ids>) =>
  query
    .selectDistinct({ id: references.targetId })
    .from(references)
    .where(
      and(
        isOfNodes(ids),
        isTextWithoutIndex(references.targetType, 'node'),
        exists(query.select({ id: linked.id }).from(linked).where(eq(linked.id, references.targetId))),
      ),
    ),
);
const findRecords = prepare(({ ids }: Named<Ids>) => {
  const { nid, sequence, status, harvestStamp, textHash, hasText, facets } = nodeRecords;
  return query
    .select({ nid, sequence, status, harvestStamp, textHash, hasText, facets })
    .from(nodeRecords)
    .where(isAmong(nid, ids));
});
const findExtracted = prepare(({ ids }: Named<Ids>) => {
  const { nodeId, mediaId, isHocr, text } = extractedTexts;
  return query
    .select({ nodeId, mediaId, isHocr, text })
    .from(extractedTexts)
    .where(isAmong(nodeId, ids))
    .orderBy(nodeId, mediaId);
});
const [use, source] = [alias(references, 'u'), alias(references, 's')];
const findMedia = prepare(({ ids, sourceFields }: Named<Ids & { readonly sourceFields: string }>) => {
  const uses = nested(sql<string | null>`(SELECT group_concat(${use.targetId}, ' ') FROM ${references} ${use}
    WHERE ${use.sourceType} = 'media' AND ${use.sourceId} = ${media.id} AND ${use.field} = 'field_media_use'
      AND ${use.targetType} = 'taxonomy_term')`);
  const mimeType = nested(sql<string | null>`(SELECT ${typeOfFileColumns(files)} FROM ${references} ${source}
    CROSS JOIN ${files} ON ${files.id} = ${source.targetId}
    WHERE ${source.sourceType} = 'media' AND ${source.sourceId} = ${media.id} AND ${source.targetType} = 'file'
      AND ${isAmong(source.field, sourceFields)} ORDER BY ${source.field}, ${source.delta} LIMIT 1)`);
  return query
    .select({ nodeId: references.targetId, id: media.id, status: media.status, uses, mimeType })
    .from(references)
    .crossJoin(media)
    .where(and(eq(media.id, references.sourceId), isMediaOf(references), isAmong(references.targetId, ids)));
});

/** Reads what the index entries of nodes follow from, on one snapshot. */
export async function readIndexSources(
  { database, search }: SearchServices,
  nids: readonly number[],
): Promise<ReadonlyMap<number, IndexSource>> {
  const ids = { ids: JSON.stringify(nids) };
  const rows = await database.read({
    nodes: findNodes(ids),
    names: findNames(ids),
    linked: findLinkedNodes(ids),
    records: findRecords(ids),
    extracted: findExtracted(ids),
    media: findMedia({ ...ids, sourceFields: search.model.sourceFields }),
  });
  const names = new Map(rows.names.map((row) => [row.id, row]));
  const linked = new Set(rows.linked.map(({ id }) => id));
  const nodeOf = new Map(rows.nodes.map((row) => [row.id, row]));
  const recordOf = new Map(rows.records.map((row) => [row.nid, row]));
  const [media, extracted] = [
    Map.groupBy(rows.media, ({ nodeId }) => nodeId),
    Map.groupBy(rows.extracted, ({ nodeId }) => nodeId),
  ];
  return new Map(
    nids.map((nid): [number, IndexSource] => {
      const row = nodeOf.get(nid);
      return [
        nid,
        {
          node: row && (() => toNode(row, names, linked)),
          media: (media.get(nid) ?? []).map(({ id, status, uses, mimeType }) => {
            return { id, status, uses: uses?.split(' ').map(Number) ?? [], mimeType: mimeType ?? undefined };
          }),
          extracted: extracted.get(nid) ?? [],
          record: recordOf.get(nid),
        },
      ];
    }),
  );
}

type NodeRow = Omit<IndexedNode, 'title' | 'created' | 'values' | 'nameOf' | 'otherNamesOf' | 'hasNode'> & {
  readonly label: string;
  readonly document: string;
};

function toNode(
  { label: title, document, bundle, status, ownerId, changed }: NodeRow,
  names: ReadonlyMap<number, { readonly label: string; readonly otherNames: string | null }>,
  linked: ReadonlySet<number>,
): IndexedNode {
  const values = JSON.parse(document) as FieldValues;
  const created = epochSeconds(String(values.created?.[0]?.value));
  return {
    ...{ title, bundle, status, ownerId, created, changed, values },
    nameOf: (id) => names.get(id)?.label,
    otherNamesOf: (id) => names.get(id)?.otherNames ?? undefined,
    hasNode: (id) => linked.has(id),
  };
}
