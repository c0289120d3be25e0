import type { Row } from '@libsql/client';
import { eq, type SQL, sql } from 'drizzle-orm';
import { QueryBuilder } from 'drizzle-orm/sqlite-core';
import { madeOnce } from '../../base/made-once.ts';
import type { Database } from '../../database/database.ts';
import { prepareFindOne } from '../../database/find-one.ts';
import type { FieldValues, Item } from '../../model/content-model.ts';
import { type Content, decode, type ReadRow } from './content.ts';
import type { ContentKind, ContentKinds, ContentType } from './kinds.ts';
import { mediaNodesOf, readMediaNodes } from './media-nodes.ts';
import { hostsOf, readHosts } from './paragraph-hosts.ts';
import { referringFields } from './referring-fields.ts';

/** Reads content by its id; undefined for what does not exist. */
export type FindContent = (type: ContentType, id: number) => Promise<Content | undefined>;

/** So much content is remembered: what is asked for again and again, unless it is very long. */
const PLACES = 256;
const MAX_REMEMBERED_CHARS = 64 * 1024;

/** Cached content with the column of its nodes or hosts, which change independently of its version. */
interface RememberedContent {
  readonly content: Content;
  readonly belonging: string | undefined;
}

/**
 * Prepares the queries of each kind once; a read is then one indexed row. A read of cached content queries only its
 * version and its nodes or hosts, which avoids copying its document.
 */
export function createFindContent(database: Database, kinds: ContentKinds): FindContent {
  const queries = {
    node: prepare(database, kinds.node),
    media: prepare(database, kinds.media),
    taxonomy_term: prepare(database, kinds.taxonomy_term),
    paragraph: prepare(database, kinds.paragraph),
  };
  const remembered = new Array<RememberedContent | undefined>(PLACES).fill(undefined);

  return async (type, id) => {
    const { readRow, readRowUnless, readState } = queries[type];
    const place = id % PLACES;
    const there = remembered[place];
    const known = there?.content.head.id === id && there.content.kind.type === type ? there : undefined;
    if (known !== undefined && !database.isDistant) {
      const state = await readState(id);
      const isSame = state?.version === known.content.head.version && state.belonging === known.belonging;
      if (isSame) return known.content;
    }
    // On a server the version and, if it is another, the row are one round trip.
    const isBoth = known !== undefined && database.isDistant;
    const found = isBoth ? await readRowUnless(known.content.head.version, id) : await readRow(id);
    if (found === undefined) return undefined;
    const { row, left, belonging } = found;
    if (row.document === null && belonging === known?.belonging) return known?.content;
    const content =
      row.document === null ? known && { ...known.content, head: row } : toContent(kinds[type], row, left);
    if (content && content.document.length <= MAX_REMEMBERED_CHARS) remembered[place] = { content, belonging };
    return content;
  };
}

function prepare(database: Database, kind: ContentKind) {
  const { table } = kind;
  const isWanted = eq(table.id, sql.placeholder('id'));
  const columns = readColumns(kind);
  const isSame = sql`${table.version} = ${sql.placeholder('version')}`;
  const unlessSame = { ...columns, document: sql`CASE WHEN ${isSame} THEN NULL ELSE ${table.document} END` };
  return {
    readRow: prepareFindOne(database, columns, table, isWanted, toFoundRow(kind)),
    readState: prepareFindOne(
      database,
      { version: table.version, ...belongingColumn(kind) },
      table,
      isWanted,
      (columns) => ({ version: columns[0] as number, belonging: columns[1] as string | undefined }),
    ),
    /** Of a row that is still at a version, without the document; that version first. */
    readRowUnless: prepareFindOne(database, unlessSame, table, isWanted, toFoundRow(kind)),
  };
}

/** The content of these ids, in no order; what does not exist is left out. */
export async function findAllContent(
  database: Database,
  kind: ContentKind,
  ids: readonly number[],
): Promise<Content[]> {
  const { sql: text } = readAllOf(kind);
  const { rows } = await database.client.execute({ sql: text, args: [JSON.stringify(ids)] });
  return rows.flatMap((row) => toContent(kind, toContentRow(kind, row), leftOf(row)) ?? []);
}

/** The query for a list of ids. Drizzle takes longer to put it into words than SQLite takes for ten rows. */
const readAllOf = madeOnce((kind: ContentKind) => {
  const { table } = kind;
  const isAmong = sql`${table.id} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`;
  return new QueryBuilder().select(readColumns(kind)).from(table).where(isAmong).toSQL();
});

/**
 * Returns the columns of a read, in the order of `toContentRow`. Last are the remaining references, if some targets
 * were deleted, and the nodes of media or the hosts of paragraphs.
 */
function readColumns(kind: ContentKind) {
  const { table, type } = kind;
  const { id, revisionId, bundle, ownerId, status, changed, version, layout, isDangling, alias, revisionLog } = table;
  const { document } = table;
  const head = { id, revisionId, bundle, ownerId, status, changed, version, layout, isDangling, alias, revisionLog };
  const left = sql`CASE ${table.isDangling} WHEN 1 THEN (SELECT json_group_array(field || ' ' || delta)
    FROM reference WHERE source_type = ${sql.raw(`'${type}'`)} AND source_id = ${table.id}) END`;
  return { ...head, document, left, ...belongingColumn(kind) };
}

/** Returns the column of the nodes or hosts on which the visibility of media and paragraphs depends. */
function belongingColumn({ type }: ContentKind): { belonging?: SQL } {
  if (type === 'paragraph') return { belonging: sql.raw(hostsOf('paragraph')) };
  return type === 'media' ? { belonging: sql.raw(mediaNodesOf('media')) } : {};
}

/** The columns as `readColumns` names them, one by one: this runs for every entity that is read. */
function toContentRow({ type }: ContentKind, columns: Row): ReadRow {
  const row: ReadRow = {
    id: columns[0] as number,
    revisionId: columns[1] as number,
    bundle: columns[2] as string,
    ownerId: columns[3] as number,
    status: columns[4] === 1,
    changed: columns[5] as number,
    version: columns[6] as number,
    layout: columns[7] as number,
    isDangling: columns[8] === 1,
    alias: columns[9] as string | null,
    revisionLog: columns[10] as string | null,
    document: columns[11] as string,
  };
  const belonging = belongingOf(columns);
  if (belonging === undefined) return row;
  return type === 'media' ? { ...row, belongsTo: readMediaNodes(belonging) } : { ...row, hosts: readHosts(belonging) };
}

function belongingOf(columns: Row): string | undefined {
  return columns[13] as string | undefined;
}

/** A row with the references that it still has, if it lost any, each as `field delta`. */
interface FoundRow {
  readonly row: ReadRow | (Omit<ReadRow, 'document'> & { readonly document: null });
  readonly left: ReadonlySet<string> | undefined;
  readonly belonging: string | undefined;
}

const toFoundRow =
  (kind: ContentKind) =>
  (columns: Row): FoundRow => ({
    row: toContentRow(kind, columns),
    left: leftOf(columns),
    belonging: belongingOf(columns),
  });

function leftOf(columns: Row): ReadonlySet<string> | undefined {
  const left = columns[12] as string | null;
  return left === null ? undefined : new Set(JSON.parse(left) as string[]);
}

function toContent(kind: ContentKind, row: ReadRow, left: ReadonlySet<string> | undefined): Content | undefined {
  const content = decode(kind, row);
  return content && left !== undefined ? withoutDeleted(content, left) : content;
}

/** References to what was deleted disappear from every answer: what is left is what the index still holds. */
function withoutDeleted(content: Content, isLeft: ReadonlySet<string>): Content {
  const keep = (name: string, items: Item[]) => items.filter((_item, delta) => isLeft.has(`${name} ${delta}`));
  const members = JSON.parse(content.document) as FieldValues;
  const names = referringFields(content.bundle).map(({ name }) => name);
  for (const name of [...names, 'thumbnail']) {
    if (members[name]) members[name] = keep(name, members[name]);
  }
  if (content.kind.type === 'taxonomy_term') {
    const parents = keep('parent', members.parent ?? []);
    members.parent = parents.length > 0 ? parents : [{ target_id: null }];
  }
  return { ...content, document: JSON.stringify(members) };
}
