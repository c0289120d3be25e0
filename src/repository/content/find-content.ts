import type { Row } from '@libsql/client';
import { eq, sql } from 'drizzle-orm';
import { QueryBuilder } from 'drizzle-orm/sqlite-core';
import { madeOnce } from '../../base/made-once.ts';
import type { Database } from '../../database/database.ts';
import { prepareFindOne } from '../../database/find-one.ts';
import type { FieldValues, Item } from '../../model/content-model.ts';
import { type Content, decode, type ReadRow } from './content.ts';
import type { ContentKind, ContentKinds, ContentType } from './kinds.ts';
import { hostsOf, readHosts } from './paragraph-hosts.ts';
import { referringFields } from './referring-fields.ts';

/** Reads content by its id; undefined for what does not exist. */
export type FindContent = (type: ContentType, id: number) => Promise<Content | undefined>;

/** So much content is remembered: what is asked for again and again, unless it is very long. */
const PLACES = 256;
const MAX_REMEMBERED_CHARS = 64 * 1024;

/**
 * Prepares the reading of each kind once; a read is then one indexed row. Of what was read lately it is only asked
 * whether it is still at the same version, which spares the copy of its document.
 */
export function createFindContent(database: Database, kinds: ContentKinds): FindContent {
  const queries = {
    node: prepare(database, kinds.node),
    media: prepare(database, kinds.media),
    taxonomy_term: prepare(database, kinds.taxonomy_term),
    paragraph: prepare(database, kinds.paragraph),
  };
  const remembered = new Array<Content | undefined>(PLACES).fill(undefined);

  return async (type, id) => {
    const { readRow, readRowUnless, readVersion } = queries[type];
    const place = id % PLACES;
    const there = remembered[place];
    const known = there !== undefined && there.head.id === id && there.kind.type === type ? there : undefined;
    if (known !== undefined && !database.isDistant && (await readVersion(id)) === known.head.version) return known;
    // On a server the version and, if it is another, the row are one round trip.
    const isBoth = known !== undefined && database.isDistant;
    const found = isBoth ? await readRowUnless(known.head.version, id) : await readRow(id);
    if (found === undefined) return undefined;
    if (found.row.document === null) return known;
    const content = toContent(kinds[type], found.row, found.left);
    const isShort = content !== undefined && content.document.length <= MAX_REMEMBERED_CHARS;
    // Who may see a paragraph changes with what it belongs to, and its version does not.
    if (isShort && type !== 'paragraph') remembered[place] = content;
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
    readRow: prepareFindOne(database, columns, table, isWanted, toFoundRow),
    readVersion: prepareFindOne(
      database,
      { version: table.version },
      table,
      isWanted,
      (columns) => columns[0] as number,
    ),
    /** Of a row that is still at a version, without the document; that version first. */
    readRowUnless: prepareFindOne(database, unlessSame, table, isWanted, toFoundRow),
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
  return rows.flatMap((row) => toContent(kind, toContentRow(row), leftOf(row)) ?? []);
}

/** The query for a list of ids. Drizzle takes longer to put it into words than SQLite takes for ten rows. */
const readAllOf = madeOnce((kind: ContentKind) => {
  const { table } = kind;
  const isAmong = sql`${table.id} IN (SELECT value FROM json_each(${sql.placeholder('ids')}))`;
  return new QueryBuilder().select(readColumns(kind)).from(table).where(isAmong).toSQL();
});

/**
 * What reading needs, in the order of `toContentRow`; at last the references that are left where some were lost, and of
 * paragraphs what they belong to.
 */
function readColumns({ table, type }: ContentKind) {
  const { id, revisionId, bundle, ownerId, status, changed, version, layout, isDangling, alias, revisionLog } = table;
  const { document } = table;
  const head = { id, revisionId, bundle, ownerId, status, changed, version, layout, isDangling, alias, revisionLog };
  const left = sql`CASE ${table.isDangling} WHEN 1 THEN (SELECT json_group_array(field || ' ' || delta)
    FROM reference WHERE source_type = ${sql.raw(`'${type}'`)} AND source_id = ${table.id}) END`;
  return { ...head, document, left, ...(type === 'paragraph' && { hosts: sql.raw(hostsOf('paragraph')) }) };
}

/** The columns as `readColumns` names them, one by one: this runs for every entity that is read. */
function toContentRow(columns: Row): ReadRow {
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
  return columns[13] === undefined ? row : { ...row, hosts: readHosts(columns[13] as string) };
}

/** A row with the references that it still has, if it lost any, each as `field delta`. */
interface FoundRow {
  readonly row: ReadRow | (Omit<ReadRow, 'document'> & { readonly document: null });
  readonly left: ReadonlySet<string> | undefined;
}

function toFoundRow(columns: Row): FoundRow {
  return { row: toContentRow(columns), left: leftOf(columns) };
}

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
