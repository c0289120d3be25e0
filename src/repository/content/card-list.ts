import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { nodes } from '../../database/schema/content.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { literal } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { ContentModel } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import { cardDate } from './card-date.ts';
import { isViewableNode, NODE_KIND } from './hidden-nodes.ts';
import { preparePerActor } from './visible-rows.ts';

/** The kinds of lists of cards. The first three are the lists of a node, term or user. */
export type ListName = 'members' | 'term' | 'owner' | 'collections' | 'top collections' | 'newest';
/** The orders of a list. Nodes without a weight precede those with one, nodes without a date follow those with one. */
export const CARD_SORTS = ['weight', 'title', 'date', 'newest'] as const;
export type CardSort = (typeof CARD_SORTS)[number];

/**
 * The maximum number of nodes of a list: its pages end there, and counting does. The nodes are read from an index,
 * which takes a few milliseconds for as many.
 */
export const MAX_LISTED = 10_000;
/** The maximum number of the newest nodes among which those for the list of newest ones are found. */
const MAX_RECENT = 50_000;

/** The URI of the model of collections. */
export const COLLECTION_URI = 'http://purl.org/dc/dcmitype/Collection';
const COLLECTION = literal(COLLECTION_URI);
const PAGE = literal('http://id.loc.gov/ontologies/bibframe/part');

/** The values of a list: the node, term or user, the actor, and the page. */
export type ListValues = {
  readonly target: number;
  readonly actorId: number;
  readonly limit: number;
  readonly offset: number;
};

const [entry, parent, recent, sorted] = [
  alias(references, 'entry'),
  alias(references, 'parent'),
  alias(nodes, 'recent'),
  alias(nodes, 'sorted'),
];

/** Returns the condition that a node has a model, by the URI of its term. */
function hasModel(nodeId: SQL, uri: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM ${references} model_of WHERE model_of.source_type = 'node'
    AND model_of.source_id = ${nodeId} AND model_of.field = 'field_model' AND model_of.target_type = 'taxonomy_term'
    AND model_of.target_id IN (${termsWith(uri)}))`;
}

const termsWith = (uri: SQL) => sql`SELECT ${termUris.termId} FROM ${termUris} WHERE ${termUris.uri} = ${uri}`;

/** Returns the members of a node that the actor may view, in their order, from the index of references. */
export function membersOf(nodeId: SQL, isViewable: (id: SQL) => SQL): SQL {
  return sql`SELECT DISTINCT ${entry.weight}, ${entry.sourceId} AS id FROM ${references} ${entry}
    WHERE ${entry.targetType} = 'node' AND ${entry.targetId} = ${nodeId} AND ${entry.sourceType} = 'node'
      AND ${entry.field} = 'field_member_of' AND ${isViewable(sql`${entry.sourceId}`)}
    ORDER BY ${entry.weight}, ${entry.sourceId}`;
}

/** Returns the query of the ids of a list. Each reads an index in its order, and ends at `MAX_LISTED`. */
function idsOf(list: ListName, { target }: Pick<Named<ListValues>, 'target'>, isViewable: (id: SQL) => SQL): SQL {
  const isEntry = sql`${entry.sourceType} = 'node' AND ${isViewable(sql`${entry.sourceId}`)}`;
  const limit = sql.raw(`LIMIT ${MAX_LISTED + 1}`);
  // CROSS JOIN fixes the order of the join, which the database would else begin with every node.
  const inCollections = sql`${termUris} CROSS JOIN ${references} ${entry} ON ${entry.targetId} = ${termUris.termId}
    WHERE ${termUris.uri} = ${COLLECTION} AND ${entry.targetType} = 'taxonomy_term'
      AND ${entry.field} = 'field_model' AND ${isEntry}`;
  const isBelow = sql`EXISTS (SELECT 1 FROM ${references} ${parent} WHERE ${parent.sourceType} = 'node'
    AND ${parent.sourceId} = ${entry.sourceId} AND ${parent.field} = 'field_member_of' AND ${parent.targetType} = 'node'
    AND ${parent.targetId} <> ${entry.sourceId} AND ${isViewable(sql`${parent.targetId}`)})`;
  switch (list) {
    case 'members':
      return sql`${membersOf(sql`${target}`, isViewable)} ${limit}`;
    case 'term':
      // From the end of the index: without weights, these are the newest ones.
      return sql`SELECT DISTINCT id FROM (SELECT ${entry.sourceId} AS id FROM ${references} ${entry}
        WHERE ${entry.targetType} = 'taxonomy_term' AND ${entry.targetId} = ${target} AND ${isEntry}
        ORDER BY ${entry.field} DESC, ${entry.weight} DESC, ${entry.sourceId} DESC ${limit})`;
    case 'owner':
      return sql`SELECT ${recent.id} FROM ${nodes} ${recent}
        WHERE ${recent.ownerId} = ${target} AND ${isViewable(sql`${recent.id}`)} ORDER BY ${recent.id} DESC ${limit}`;
    case 'collections':
      return sql`SELECT DISTINCT ${entry.sourceId} AS id FROM ${inCollections} ${limit}`;
    case 'top collections':
      return sql`SELECT DISTINCT ${entry.sourceId} AS id FROM ${inCollections} AND NOT ${isBelow} ${limit}`;
    case 'newest':
      return sql`SELECT id FROM (SELECT ${recent.id} FROM ${nodes} ${recent} ORDER BY ${recent.id} DESC
          LIMIT ${sql.raw(String(MAX_RECENT))}) newest
        WHERE ${isViewable(sql`newest.id`)} AND NOT ${hasModel(sql`newest.id`, PAGE)} ${limit}`;
    default:
      return list satisfies never;
  }
}

/** Returns the query of the ids of a list in an order. */
function inOrder(found: SQL, sort: CardSort, model: ContentModel): SQL {
  const listed = sql`(SELECT id FROM (${found}) LIMIT ${sql.raw(String(MAX_LISTED))}) found`;
  const withNodes = sql`${listed} CROSS JOIN ${nodes} ${sorted} ON ${sorted.id} = found.id`;
  switch (sort) {
    case 'weight':
      return sql`SELECT found.id FROM ${listed}`;
    case 'newest':
      return sql`SELECT found.id FROM ${listed} ORDER BY found.id DESC`;
    case 'title':
      return sql`SELECT found.id FROM ${withNodes} ORDER BY ${sorted.label} COLLATE NOCASE, found.id`;
    case 'date':
      return sql`SELECT id FROM (SELECT found.id, ltrim(${cardDate(model, sorted)}, '[{') AS day FROM ${withNodes})
        ORDER BY day IS NULL, day, id`;
    default:
      return sort satisfies never;
  }
}

const FIELDS = { ids: sql<string>`ids`, total: sql<number>`total` };

function prepareList(model: ContentModel, actor: Actor, list: ListName, sort: CardSort) {
  return prepare((values: Named<ListValues>) => {
    const { actorId, limit, offset } = values;
    const found = idsOf(list, values, (id) => isViewableNode(actor, id, actorId));
    const page = sql`SELECT json_group_array(id) FROM (${inOrder(found, sort, model)} LIMIT ${limit} OFFSET ${offset})`;
    // The newest nodes have one page.
    const total = list === 'newest' ? sql`NULL` : sql`(SELECT count(*) FROM (${found}))`;
    return plain(sql`SELECT (${page}), ${total}`, FIELDS);
  });
}

/** Prepares the query of a page of a list: its ids as JSON, and the number of all, at most `MAX_LISTED` + 1. */
export function createCardList(model: ContentModel, list: ListName, sort: CardSort) {
  return preparePerActor([NODE_KIND], (actor) => prepareList(model, actor, list, sort));
}
