import type { InValue, Row } from '@libsql/client';
import { and, asc, eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { prepareFindOne } from '../../database/find-one.ts';
import type { ContentTable } from '../../database/schema/content.ts';
import { references } from '../../database/schema/references.ts';
import type { FieldValues, Item } from '../../model/content-model.ts';
import { type Content, decode, type ReadRow } from './content.ts';
import type { ContentKind, ContentKinds, ContentType } from './kinds.ts';

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
  };
  const remembered = new Array<Content | undefined>(PLACES).fill(undefined);

  return async (type, id) => {
    const { readRow, readVersion } = queries[type];
    const place = id % PLACES;
    const known = remembered[place];
    if (known !== undefined && known.head.id === id && known.kind.type === type) {
      if ((await readVersion(id)) === known.head.version) return known;
    }
    const row = await readRow(id);
    if (row === undefined) return undefined;
    const content = row.isDangling ? await toContent(database, kinds[type], row) : decode(kinds[type], row);
    const isShort = content !== undefined && content.document.length <= MAX_REMEMBERED_CHARS;
    if (isShort) remembered[place] = content;
    return content;
  };
}

function prepare(database: Database, { table }: ContentKind) {
  const isWanted = eq(table.id, sql.placeholder('id'));
  return {
    readRow: prepareFindOne(database, readColumns(table), table, isWanted, toContentRow),
    readVersion: prepareFindOne(
      database,
      { version: table.version },
      table,
      isWanted,
      (columns) => columns[0] as number,
    ),
  };
}

/** The rows of these ids, in no order; what does not exist is left out. */
export async function findRows(database: Database, { table }: ContentKind, ids: readonly number[]): Promise<ReadRow[]> {
  const isAmong = sql`${table.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const { sql: text, params } = database.query.select(readColumns(table)).from(table).where(isAmong).toSQL();
  const { rows } = await database.client.execute({ sql: text, args: params as InValue[] });
  return rows.map(toContentRow);
}

/** What reading needs, in the order of `toContentRow`. */
function readColumns(table: ContentTable) {
  const { id, revisionId, bundle, ownerId, status, changed, version, layout, isDangling, alias, revisionLog } = table;
  const { document } = table;
  const head = { id, revisionId, bundle, ownerId, status, changed, version, layout, isDangling, alias, revisionLog };
  return { ...head, document };
}

/** The columns as `readColumns` names them, one by one: this runs for every entity that is read. */
function toContentRow(columns: Row): ReadRow {
  return {
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
}

/** Content from its row. Only one that lost something it referred to costs a second query. */
export async function toContent(database: Database, kind: ContentKind, row: ReadRow): Promise<Content | undefined> {
  const content = decode(kind, row);
  return content && row.isDangling ? withoutDeleted(database, content) : content;
}

/** References to what was deleted disappear from every answer: what is left is what the index still holds. */
async function withoutDeleted(database: Database, content: Content): Promise<Content> {
  const remaining = await database.query
    .select({ field: references.field, delta: references.delta })
    .from(references)
    .where(and(eq(references.sourceType, content.kind.type), eq(references.sourceId, content.head.id)))
    .orderBy(asc(references.delta));
  const isLeft = new Set(remaining.map(({ field, delta }) => `${field} ${delta}`));
  const keep = (name: string, items: Item[]) => items.filter((_item, delta) => isLeft.has(`${name} ${delta}`));
  const members = JSON.parse(content.document) as FieldValues;
  const names = content.bundle.fields.filter(({ targetType }) => isIndexed(targetType)).map(({ name }) => name);
  for (const name of [...names, 'thumbnail']) {
    if (members[name]) members[name] = keep(name, members[name]);
  }
  if (content.kind.type === 'taxonomy_term') {
    const parents = keep('parent', members.parent ?? []);
    members.parent = parents.length > 0 ? parents : [{ target_id: null }];
  }
  return { ...content, document: JSON.stringify(members) };
}

/** Whether references to a type are kept in the index: those to entities are, those to configuration are not. */
export function isIndexed(targetType: string | undefined): boolean {
  return (
    targetType === 'node' ||
    targetType === 'media' ||
    targetType === 'taxonomy_term' ||
    targetType === 'file' ||
    targetType === 'user'
  );
}
