import { inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { nodes, terms } from '../../../database/schema/content.ts';
import { references, termUris } from '../../../database/schema/references.ts';
import { isAmong, literal } from '../../../database/sql.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import type { ContentModel } from '../../../model/content-model.ts';
import type { ItemStructure } from '../../../model/item-models.ts';
import type { Actor } from '../../actor.ts';
import { isMemberOf, isParentOf } from '../../relations.ts';
import { isViewableNode, NODE_KIND } from '../hidden-nodes.ts';
import { preparePerActor, type ViewerValues } from '../visible-rows.ts';
import { plainPageTypes } from './find-plain-pages.ts';

/** The kinds of lists of cards. The first three are the lists of a node, term or user. */
export type ListName = 'members' | 'term' | 'owner' | 'collections' | 'top collections' | 'newest';
/** The orders of a list. Nodes without a weight precede those with one, nodes without a date follow those with one. */
export type CardSort = 'weight' | 'title' | 'date' | 'newest';

/**
 * The maximum number of nodes of a list: its pages end there, and counting does. The nodes are read from an index,
 * which takes a few milliseconds for as many.
 */
export const MAX_LISTED = 10_000;
/** The maximum number of the newest nodes, of all and of each model, among which viewable ones are found. */
const MAX_RECENT = 2_000;

/** The values of a list: the node, term or user, the actor, and the page. */
type ListValues = {
  readonly target: number;
  readonly limit: number;
  readonly offset: number;
} & ViewerValues;

const [entry, parent, recent, sorted, model, modelOf] = [
  alias(references, 'entry'),
  alias(references, 'parent'),
  alias(nodes, 'recent'),
  alias(nodes, 'sorted'),
  alias(terms, 'model'),
  alias(references, 'model_of'),
];

/** Returns the condition that the URI of a term is that of a model with a structure. */
export function hasStructure(uri: SQLWrapper, { models }: Pick<ContentModel, 'models'>, structure: ItemStructure): SQL {
  return sql`${uri} IN (${sql.join(models.urisOf(structure).map(literal), sql`, `)})`;
}

/** Returns the condition that a node is a page. */
export function isPage(nodeId: SQL, contentModel: ContentModel): SQL {
  return sql`EXISTS (SELECT 1 FROM ${references} ${modelOf} WHERE ${modelOf.sourceType} = 'node'
    AND ${modelOf.sourceId} = ${nodeId} AND ${modelOf.field} = 'field_model' AND ${modelOf.targetType} = 'taxonomy_term'
    AND ${modelOf.targetId} IN (${termsOfPages(contentModel)}))`;
}

const termsOfPages = (contentModel: ContentModel) =>
  sql`SELECT ${termUris.termId} FROM ${termUris} WHERE ${hasStructure(termUris.uri, contentModel, 'page')}`;

/** Returns the condition that the actor may view the node with an id. */
type IsViewable = (id: SQL) => SQL;

/**
 * Returns the members of a node that fulfil a condition in their order, from the index of references. No node is its own
 * member.
 */
export function membersOf(nodeId: SQL, isWanted: (member: SQL) => SQL = () => sql`TRUE`): SQL {
  return sql`SELECT DISTINCT ${entry.weight}, ${entry.sourceId} AS id FROM ${references} ${entry}
    WHERE ${isMemberOf(entry, nodeId)} AND ${entry.sourceId} <> ${nodeId} AND ${isWanted(sql`${entry.sourceId}`)}
    ORDER BY ${entry.weight}, ${entry.sourceId}`;
}

/**
 * Returns the query of the newest nodes except pages of books and of the site, in their order: among the last rows, and among those of each other
 * model without a weight. The latter are found even after an import of very many pages.
 */
function newestOf(
  contentModel: ContentModel,
  { limit }: Pick<Named<ListValues>, 'limit'>,
  isViewable: IsViewable,
): SQL {
  const window = sql.raw(`LIMIT ${MAX_RECENT}`);
  const vocabularies = [...contentModel.nodeTypes.values()].flatMap(
    ({ fieldNamed }) => fieldNamed.get('field_model')?.targetBundles ?? [],
  );
  return sql`SELECT DISTINCT id FROM (
      SELECT id FROM (SELECT id FROM (SELECT ${recent.id} FROM ${nodes} ${recent} ORDER BY ${recent.id} DESC ${window}) last
        WHERE ${isViewable(sql`last.id`)} AND NOT ${isPage(sql`last.id`, contentModel)}
        AND NOT EXISTS (SELECT 1 FROM ${nodes} ${sorted} WHERE ${sorted.id} = last.id
          AND ${isAmong(sorted.bundle, JSON.stringify(plainPageTypes(contentModel)))}) LIMIT ${limit})
      UNION ALL
      SELECT found.value FROM ${terms} ${model} CROSS JOIN json_each((SELECT json_group_array(id) FROM (
          SELECT id FROM (SELECT ${entry.sourceId} AS id FROM ${references} ${entry}
              WHERE ${entry.targetType} = 'taxonomy_term' AND ${entry.targetId} = ${model.id}
                AND ${entry.sourceType} = 'node' AND ${entry.field} = 'field_model' AND ${entry.weight} IS NULL
              ORDER BY ${entry.sourceId} DESC ${window}) last
            WHERE ${isViewable(sql`last.id`)} LIMIT ${limit}))) found
        WHERE ${inArray(model.bundle, [...new Set(vocabularies)])} AND ${model.id} NOT IN (${termsOfPages(contentModel)}))
    ORDER BY id DESC LIMIT ${limit}`;
}

/** Returns the query of the ids of a list. Each reads an index in its order, and ends at `MAX_LISTED`. */
function idsOf(list: ListName, contentModel: ContentModel, values: Named<ListValues>, isViewable: IsViewable): SQL {
  const { target } = values;
  const isEntry = sql`${entry.sourceType} = 'node' AND ${isViewable(sql`${entry.sourceId}`)}`;
  const limit = sql.raw(`LIMIT ${MAX_LISTED + 1}`);
  // CROSS JOIN fixes the order of the join, which the database would else begin with every node.
  const inCollections = sql`${termUris} CROSS JOIN ${references} ${entry} ON ${entry.targetId} = ${termUris.termId}
    WHERE ${hasStructure(termUris.uri, contentModel, 'collection')} AND ${entry.targetType} = 'taxonomy_term'
      AND ${entry.field} = 'field_model' AND ${isEntry}`;
  const isBelow = sql`EXISTS (SELECT 1 FROM ${references} ${parent} WHERE ${isParentOf(parent, entry.sourceId)}
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
      return newestOf(contentModel, values, isViewable);
    default:
      return list satisfies never;
  }
}

/** The orders in which `idsOf` finds lists. */
const FOUND_ORDER: Readonly<Partial<Record<ListName, CardSort>>> = {
  members: 'weight',
  owner: 'newest',
  newest: 'newest',
};

/** Returns the query of the ids in the table `found`, in an order. */
function inOrder(list: ListName, sort: CardSort, contentModel: ContentModel): SQL {
  const listed = sql`(SELECT id FROM found LIMIT ${sql.raw(String(MAX_LISTED))}) listed`;
  const withNodes = sql`${listed} CROSS JOIN ${nodes} ${sorted} ON ${sorted.id} = listed.id`;
  if (sort === FOUND_ORDER[list]) return sql`SELECT listed.id FROM ${listed}`;
  switch (sort) {
    case 'weight':
      return sql`SELECT listed.id FROM ${listed}`;
    case 'newest':
      return sql`SELECT listed.id FROM ${listed} ORDER BY listed.id DESC`;
    case 'title':
      return sql`SELECT listed.id FROM ${withNodes} ORDER BY ${sorted.label} COLLATE NOCASE, listed.id`;
    case 'date':
      return sql`SELECT id FROM (SELECT listed.id, ltrim(${cardDate(contentModel, sorted)}, '[{') AS day FROM ${withNodes})
        ORDER BY day IS NULL, day, id`;
    default:
      return sort satisfies never;
  }
}

const FIELDS = { ids: sql<string>`ids`, total: sql<number>`total` };

function prepareList(contentModel: ContentModel, actor: Actor, list: ListName, sort: CardSort) {
  return prepare((values: Named<ListValues>) => {
    const { limit, offset } = values;
    const ids = idsOf(list, contentModel, values, (id) => isViewableNode(actor, id, values));
    const page = sql`${inOrder(list, sort, contentModel)} LIMIT ${limit} OFFSET ${offset}`;
    return plain(
      sql`WITH found AS MATERIALIZED (${ids})
        SELECT (SELECT json_group_array(id) FROM (${page})), (SELECT count(*) FROM found)`,
      FIELDS,
    );
  });
}

/** Prepares the query of a page of a list: its ids as JSON, and the number of all, at most `MAX_LISTED` + 1. */
export function createCardList(contentModel: ContentModel, list: ListName, sort: CardSort) {
  return preparePerActor([NODE_KIND], (actor) => prepareList(contentModel, actor, list, sort));
}

/** The fields with the date of an item, in order of preference: its origin, not a copyright or the day of a scan. */
export const DATE_FIELDS = ['field_edtf_date_created', 'field_edtf_date_issued', 'field_edtf_date'];

/** Returns the expression for the date of a node as EDTF: the first value of its first field with one. */
export function cardDate({ nodeTypes }: ContentModel, { document }: { readonly document: SQLiteColumn }): SQL {
  const definitions = [...nodeTypes.values()].flatMap(({ fields }) => fields.filter(({ type }) => type === 'edtf'));
  const names = new Set(definitions.map(({ name }) => name));
  const known = DATE_FIELDS.filter((name) => names.has(name));
  // A model of its own may have other names.
  const used = known.length > 0 ? known : [...names];
  const values = used.map((name) => sql`${document} ->> ${literal(`$.${name}[0].value`)}`);
  return values.length === 0 ? sql`NULL` : sql`coalesce(${sql.join(values, sql`, `)}, NULL)`;
}
