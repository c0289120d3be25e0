import { and, desc, eq, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Batch, BatchResults } from '../../database/database.ts';
import { failedGuard, failedUniqueness } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { contentTables } from '../../database/schema/content.ts';
import { pathAliases } from '../../database/schema/system.ts';
import { requireOne } from '../../database/sql.ts';
import { type Named, prepare, type Statement, statementOf } from '../../database/statement.ts';
import { dateItem } from '../../field-types/moment.tsx';
import type { ContentType } from '../access-rule.ts';
import type { BaseServices } from '../base-services.ts';
import { pathPrefix } from '../content/write/write-content.ts';
import { aliasInUse, invalidAliasPath, uuidTaken } from '../errors.ts';

/** An alias of content. Content may have several, and shows the newest. */
export interface Alias {
  readonly id: number;
  readonly uuid: string;
  /** The canonical path, such as `/node/12`. */
  readonly path: string;
  readonly alias: string;
  readonly langcode: string;
}

const aliasById = prepare(({ id }: Named<{ id: number }>) =>
  query.select().from(pathAliases).where(eq(pathAliases.id, id)),
);

/** Returns the alias with an id, or undefined. */
export function findAlias({ database }: BaseServices, id: number): Promise<Alias | undefined> {
  return database.get(aliasById({ id }));
}

/** Adds an alias to content. Throws `unprocessable` if the alias is in use or the content does not exist. */
export async function createAlias(services: BaseServices, alias: Omit<Alias, 'id'>): Promise<Alias> {
  const { uuid, path, alias: address, langcode } = alias;
  const written = await write(services, alias, {
    inserted: statementOf(
      query.insert(pathAliases).values({ uuid, path, alias: address, langcode }).returning({ id: pathAliases.id }),
    ),
    shown: showNewest(services, path, true),
  });
  return { ...alias, id: written?.inserted[0]?.id ?? 0 };
}

/** Changes an alias. Returns false if it has changed since it was read. Throws as `createAlias` does. */
export async function changeAlias(services: BaseServices, from: Alias, to: Alias): Promise<boolean> {
  const { path, alias, langcode } = to;
  const isSame = and(isAsRead(from), eq(pathAliases.langcode, from.langcode));
  const written = await write(services, to, {
    changed: statementOf(query.update(pathAliases).set({ path, alias, langcode }).where(isSame)),
    // If the alias has changed, its content keeps its version.
    stale: requireOne('stale'),
    shown: showNewest(services, path, true),
    moved: from.path === path ? [] : showNewest(services, from.path, false),
  });
  return written !== undefined;
}

/** Removes an alias. Returns false if it has changed since. Its content then shows its newest other alias. */
export async function removeAlias(services: BaseServices, alias: Alias): Promise<boolean> {
  const written = await write(services, alias, {
    removed: statementOf(query.delete(pathAliases).where(isAsRead(alias))),
    stale: requireOne('stale'),
    shown: showNewest(services, alias.path, false),
  });
  return written !== undefined;
}

const isAsRead = ({ id, path, alias }: Alias) =>
  and(eq(pathAliases.id, id), eq(pathAliases.path, path), eq(pathAliases.alias, alias));

/**
 * Returns statements that write the newest alias of content into its row and document, with the time of the change.
 * This creates no revision: aliases belong to the entity.
 */
function showNewest({ now }: Pick<BaseServices, 'now'>, path: string, mustExist: boolean): Statement[] {
  const target = aliasTarget(path);
  if (target === undefined) return [];
  const table = contentTables[target.type];
  const newest = (column: SQLiteColumn) =>
    sql`${query
      .select({ value: column })
      .from(pathAliases)
      .where(eq(pathAliases.path, path))
      .orderBy(desc(pathAliases.id))
      .limit(1)}`;
  const time = now();
  const changedItem = sql`CASE WHEN ${table.changed} > ${time} THEN ${table.document} ->> '$.changed[0].value'
    ELSE ${String(dateItem(time).value)} END`;
  const document = sql`json_set(${table.document}, '$.path[0].alias', ${newest(pathAliases.alias)},
    '$.path[0].pid', ${newest(pathAliases.id)}, '$.changed[0].value', ${changedItem})`;
  const show = statementOf(
    query
      .update(table)
      .set({
        aliasId: newest(pathAliases.id),
        alias: newest(pathAliases.alias),
        version: sql`${table.version} + 1`,
        changed: sql`max(${table.changed}, ${time})`,
        document,
      })
      .where(eq(table.id, target.id)),
  );
  return mustExist ? [show, requireOne('missing')] : [show];
}

/** Runs a batch. Returns undefined if the alias has changed since it was read. */
async function write<Given extends Batch>(
  { database }: Pick<BaseServices, 'database'>,
  { uuid, alias, path }: Omit<Alias, 'id'>,
  batch: Given,
): Promise<BatchResults<Given> | undefined> {
  try {
    return await database.write(batch);
  } catch (error) {
    const column = failedUniqueness(error);
    if (column === 'path_alias.alias') throw aliasInUse(alias);
    if (column === 'path_alias.uuid') throw uuidTaken(uuid);
    if (failedGuard(error) === 'guard_stale') return undefined;
    if (failedGuard(error) === 'guard_missing') throw invalidAliasPath(path);
    throw error;
  }
}

/** The content of a canonical path. */
interface AliasTarget {
  readonly type: ContentType;
  readonly id: number;
}

const TYPES: readonly ContentType[] = ['node', 'media', 'taxonomy_term'];
const ID = /^[1-9]\d{0,14}$/;

/** Parses a canonical path such as `/node/12`; undefined for other paths. The content may not exist. */
export function aliasTarget(path: string): AliasTarget | undefined {
  const type = TYPES.find((each) => path.startsWith(pathPrefix(each)));
  const id = type === undefined ? '' : path.slice(pathPrefix(type).length);
  return type !== undefined && ID.test(id) ? { type, id: Number(id) } : undefined;
}
