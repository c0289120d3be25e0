import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { media, mediaCreated, nodes, terms } from '../../database/schema/content.ts';
import { files } from '../../database/schema/files.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { nodeRecords, searchTexts } from '../../database/schema/search.ts';
import { users } from '../../database/schema/users.ts';
import { isTextWithoutIndex, literal } from '../../database/sql.ts';
import { isFileAdministrator, mediaAccess, nodeAccess, termAccess } from '../access.ts';
import { type Actor, ANONYMOUS_ID } from '../actor.ts';
import { type ViewerParameters, type VisibleKind, visibilityKey, visibleRows } from '../content/visible-rows.ts';
import { isMemberOf, MEDIA_OF, MEMBER_OF } from '../relations.ts';
import { userVisibility } from '../user-access.ts';
import type { ListFilter, ListName, ListSort } from './list-question.ts';

/** The value of a filter in a prepared query. */
type Value = Placeholder & SQL;

/** A filter as conditions of a query. */
export interface SourceFilter {
  /** The condition for a row. */
  readonly accepts: (value: Value) => SQL;
  /** The query of the ids of all rows that it accepts, from an index; undefined without one. */
  readonly select?: (value: Value) => SQL;
  /** The only value that `select` applies to. Default: any. */
  readonly selects?: number;
  /** True if `accepts` reads another table. */
  readonly isLookUp?: true;
}

/** The rows of a list. */
export interface ListSource {
  readonly table: SQLiteTable;
  readonly id: SQLiteColumn;
  /** The condition for rows that belong to the list of any caller. */
  readonly belongs: SQL;
  /** The values that each order sorts by, in a form that its index supports. */
  readonly sorts: Readonly<Partial<Record<ListSort, SQL>>>;
  readonly filters: Readonly<Partial<Record<ListFilter, SourceFilter>>>;
  /** The condition for rows that the actor may view. */
  readonly isVisible: (actor: Actor, viewer: ViewerParameters) => SQL;
  /** A text that is the same for actors with the same `isVisible`. */
  readonly visibilityKey: (actor: Actor) => string;
  /** True if another table tells whether the actor may view a row. */
  readonly isLookUp: (actor: Actor) => boolean;
  /** True if the unpublished rows that the actor may view are its own ones. */
  readonly seesOwnHidden: (actor: Actor) => boolean;
}

const equals = (column: SQLiteColumn): SourceFilter => ({ accepts: (value) => sql`${column} = ${value}` });
const since = (column: SQLiteColumn): SourceFilter => ({ accepts: (value) => sql`${column} >= ${value}` });
const before = (column: SQLiteColumn): SourceFilter => ({ accepts: (value) => sql`${column} < ${value}` });
const noCase = (column: SQLiteColumn): SQL => sql`${column} COLLATE NOCASE`;

/** Returns the filter for content that refers by a field to one of the targets that `targets` returns. */
function refers(
  { type, id }: { readonly type: 'node' | 'media'; readonly id: SQLiteColumn },
  field: string,
  targetType: 'node' | 'taxonomy_term',
  targets: (value: Value) => SQL,
): SourceFilter {
  const { sourceType, sourceId, targetType: typeOfTarget, targetId } = references;
  const isOfField = sql`${sourceType} = ${literal(type)} AND ${references.field} = ${literal(field)}`;
  return {
    // The sign keeps the database from the index of targets, which has no place for the source of one row.
    accepts: (value) => sql`EXISTS (SELECT 1 FROM ${references} WHERE ${sourceId} = ${id} AND ${isOfField}
      AND ${isTextWithoutIndex(typeOfTarget, targetType)} AND +${targetId} IN (${targets(value)}))`,
    select: (value) => sql`SELECT ${sourceId} AS id FROM ${references} INDEXED BY reference_target
      WHERE ${isOfField} AND ${typeOfTarget} = ${literal(targetType)} AND ${targetId} IN (${targets(value)})`,
    isLookUp: true,
  };
}

/** The terms with an id or a URI. */
const termsOf = (value: Value): SQL =>
  sql`SELECT ${value} UNION SELECT ${termUris.termId} FROM ${termUris} WHERE ${termUris.uri} = ${value}`;

/** The nodes of a collection. */
const membersOf = (value: Value): SQL => {
  const member = alias(references, 'member');
  return sql`SELECT ${member.sourceId} FROM ${references} ${member} WHERE ${isMemberOf(member, value)}`;
};

/** The condition for media whose name contains a text (`likeText`). */
const named = (value: Value): SQL => sql`${media.label} LIKE '%' || ${value} || '%' ESCAPE '\\'`;

/** The nodes that an expression of the full-text index finds. */
const titled = (value: Value): SQL =>
  sql`SELECT ${searchTexts.rowid} AS id FROM ${searchTexts} WHERE ${sql.raw('search_text')} MATCH ${value}`;

/** Returns the members of a source that depend on the access rules of content. */
function ofContent(kind: VisibleKind, columns: Parameters<typeof visibleRows>[2]) {
  return {
    isVisible: (actor: Actor, viewer: ViewerParameters) => visibleRows(kind, actor, columns, viewer),
    visibilityKey: (actor: Actor) => visibilityKey(kind, actor),
    isLookUp: (actor: Actor) => kind.type === 'media' && kind.access.visibility(actor).unpublished !== 'all',
    seesOwnHidden: (actor: Actor) => kind.access.visibility(actor).unpublished === 'own',
  };
}

const ofModels = refers(
  { type: 'node', id: nodeRecords.nid },
  'field_model',
  'taxonomy_term',
  (value) => sql`SELECT value FROM json_each(${value}, '$.models')`,
);
/** Types without a field for the model, such as basic pages. */
const isOfType = (value: Value): SQL =>
  sql`${nodeRecords.bundle} IN (SELECT value FROM json_each(${value}, '$.types'))`;

/** The nodes with one of some models, and those of some types. The value is `{ models, types }` as JSON. */
const works: SourceFilter = {
  accepts: (value) => sql`(${ofModels.accepts(value)} OR ${isOfType(value)})`,
  select: (value) => sql`${ofModels.select?.(value)} UNION ALL
    SELECT ${nodeRecords.nid} FROM ${nodeRecords} WHERE ${isOfType(value)}`,
  isLookUp: true,
};

const nodeList: ListSource = {
  table: nodeRecords,
  id: nodeRecords.nid,
  belongs: sql`${nodeRecords.isDeleted} = 0`,
  sorts: {
    created: sql`${nodeRecords.created}`,
    changed: sql`${nodeRecords.changed}`,
    title: sql`${nodeRecords.titleKey}`,
  },
  filters: {
    type: {
      ...equals(nodeRecords.bundle),
      select: (value) =>
        sql`SELECT ${nodeRecords.nid} AS id FROM ${nodeRecords} WHERE ${nodeRecords.bundle} = ${value}`,
    },
    published: {
      ...equals(nodeRecords.status),
      select: () => sql`SELECT ${nodes.id} AS id FROM ${nodes} INDEXED BY node_unpublished WHERE ${nodes.status} = 0`,
      selects: 0,
    },
    changedSince: since(nodeRecords.changed),
    changedBefore: before(nodeRecords.changed),
    // An expression of the full-text index (`title-expression.ts`).
    title: {
      accepts: (value) => sql`${nodeRecords.nid} IN (${titled(value)})`,
      select: titled,
    },
    owner: {
      ...equals(nodeRecords.ownerId),
      select: (value) => sql`SELECT ${nodes.id} AS id FROM ${nodes} WHERE ${nodes.ownerId} = ${value}`,
    },
    model: refers({ type: 'node', id: nodeRecords.nid }, 'field_model', 'taxonomy_term', termsOf),
    collection: refers({ type: 'node', id: nodeRecords.nid }, MEMBER_OF, 'node', (value) => sql`${value}`),
    parent: refers({ type: 'node', id: nodeRecords.nid }, MEMBER_OF, 'node', (value) => sql`${value}`),
    works,
  },
  ...ofContent(
    { type: 'node', access: nodeAccess },
    { id: nodeRecords.nid, status: nodeRecords.status, ownerId: nodeRecords.ownerId, bundle: nodeRecords.bundle },
  ),
};

const mediaList: ListSource = {
  table: media,
  id: media.id,
  belongs: sql`TRUE`,
  sorts: { created: mediaCreated(media.document), changed: sql`${media.changed}`, name: noCase(media.label) },
  filters: {
    type: equals(media.bundle),
    published: equals(media.status),
    changedSince: since(media.changed),
    changedBefore: before(media.changed),
    // The index of names is a tenth of the rows: it is read as a whole if few match.
    name: {
      accepts: named,
      select: (value) => sql`SELECT ${media.id} AS id FROM ${media} INDEXED BY media_name WHERE ${named(value)}`,
    },
    owner: equals(media.ownerId),
    collection: refers({ type: 'media', id: media.id }, MEDIA_OF, 'node', membersOf),
    use: refers({ type: 'media', id: media.id }, 'field_media_use', 'taxonomy_term', termsOf),
  },
  ...ofContent({ type: 'media', access: mediaAccess }, media),
};

const termList: ListSource = {
  table: terms,
  id: terms.id,
  belongs: sql`TRUE`,
  sorts: { changed: sql`${terms.changed}`, name: sql`${terms.sortLabel}` },
  filters: {
    vocabulary: equals(terms.bundle),
    published: equals(terms.status),
    changedSince: since(terms.changed),
  },
  ...ofContent({ type: 'taxonomy_term', access: termAccess }, terms),
};

const fileList: ListSource = {
  table: files,
  id: files.id,
  belongs: sql`TRUE`,
  sorts: { created: sql`${files.created}`, changed: sql`${files.changed}`, name: noCase(files.filename) },
  filters: {
    permanent: equals(files.status),
    changedSince: since(files.changed),
    owner: equals(files.ownerId),
    mimeType: equals(files.filemime),
    // A range of the index of addresses: `0` follows `/`.
    scheme: { accepts: (value) => sql`${files.uri} >= ${value} || '://' AND ${files.uri} < ${value} || ':/0'` },
  },
  isVisible: (actor) => (isFileAdministrator(actor) ? sql`TRUE` : sql`FALSE`),
  visibilityKey: (actor) => String(isFileAdministrator(actor)),
  isLookUp: () => false,
  seesOwnHidden: () => false,
};

const userList: ListSource = {
  table: users,
  id: users.id,
  belongs: sql`${users.id} <> ${sql.raw(String(ANONYMOUS_ID))}`,
  sorts: { created: sql`${users.created}`, changed: sql`${users.changed}`, name: noCase(users.name) },
  filters: {
    active: equals(users.status),
    changedSince: since(users.changed),
    role: { accepts: (value) => sql`${value} IN (SELECT value FROM json_each(${users.roles}))` },
  },
  isVisible: (actor, { actorId }) => {
    const visible = userVisibility(actor);
    if (visible === 'all') return sql`TRUE`;
    const others = visible === 'active' ? sql`${users.status} = 1` : sql`FALSE`;
    return sql`(${others} OR ${users.id} = ${actorId})`;
  },
  visibilityKey: userVisibility,
  isLookUp: () => false,
  seesOwnHidden: () => false,
};

/** The rows of each list. */
export const LIST_SOURCES: Readonly<Record<ListName, ListSource>> = {
  node: nodeList,
  media: mediaList,
  taxonomy_term: termList,
  file: fileList,
  user: userList,
};
