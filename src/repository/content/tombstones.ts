import { and, eq, isNotNull } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { redirects } from '../../database/schema/loading.ts';
import { nodeRecords } from '../../database/schema/search.ts';
import { pathAliases } from '../../database/schema/system.ts';
import { type Named, prepare, type Statement, statementOf } from '../../database/statement.ts';
import { entityPath } from '../../paths.ts';
import type { BaseServices } from '../base-services.ts';
import { NO_QUERY, STATUS_GONE, sourcePath } from '../redirect-source.ts';
import type { Content } from './content.ts';

/** A part of a citation. */
export interface CitationPart {
  readonly text: string;
  readonly isItalic?: boolean;
  /** True for an address. One of this site begins with `TOMBSTONE_SITE`. */
  readonly isAddress?: boolean;
}

/** The facts that the page of a deleted item shows. */
export interface Tombstone {
  readonly title: string;
  /** The language of the title, as a tag. */
  readonly language: string;
  /** Seconds since 1970. */
  readonly deleted: number;
  readonly citation: readonly CitationPart[];
}

/** Returns the target of the former aliases of a deleted node. */
const goneTarget = (nid: number): string => `internal:${entityPath.node(nid)}`;

/** Stands for the address of the site in a stored citation. */
export const TOMBSTONE_SITE = 'http://site.invalid';

/** Writes the tombstone of content that is being deleted; undefined if its page has none. */
export type DescribeRemoved = (content: Content) => Promise<Omit<Tombstone, 'deleted'> | undefined>;

/** The writer of tombstones. Servers set it; commands, such as the undoing of an import, leave none. */
export class Tombstones {
  #describe: DescribeRemoved = async () => undefined;

  writeWith(describe: DescribeRemoved): void {
    this.#describe = describe;
  }

  of(content: Content): ReturnType<DescribeRemoved> {
    return this.#describe(content);
  }
}

const findOne = prepare(({ id }: Named<{ id: number }>) =>
  query
    .select({ tombstone: nodeRecords.tombstone })
    .from(nodeRecords)
    .where(and(eq(nodeRecords.nid, id), isNotNull(nodeRecords.tombstone))),
);

/** Returns the tombstone of a node, or undefined. */
export async function findTombstone(database: Database, id: number): Promise<Tombstone | undefined> {
  const row = await database.get(findOne({ id }));
  return typeof row?.tombstone === 'string' ? (JSON.parse(row.tombstone) as Tombstone) : undefined;
}

const setOne = prepare(({ id, tombstone }: Named<{ id: number; tombstone: string | null }>) =>
  query
    .update(nodeRecords)
    .set({ tombstone })
    .where(and(eq(nodeRecords.nid, id), eq(nodeRecords.isDeleted, true), isNotNull(nodeRecords.harvestStamp))),
);
const aliasesOf = prepare(({ path }: Named<{ path: string }>) =>
  query
    .select({ alias: pathAliases.alias, langcode: pathAliases.langcode })
    .from(pathAliases)
    .where(eq(pathAliases.path, path)),
);

/**
 * Returns the statements that write the tombstone of a node, after those that remove it from the index; none without a
 * tombstone. Its aliases lead to it, unless a redirect has their address.
 */
export async function tombstoneStatements(
  { database, tombstones, now }: BaseServices & { readonly tombstones: Tombstones },
  content: Content,
): Promise<Statement[]> {
  const { id, ownerId } = content.head;
  const described = content.kind.type === 'node' ? await tombstones.of(content) : undefined;
  if (described === undefined) return [];
  const aliases = await database.all(aliasesOf({ path: entityPath.node(id) }));
  const rows = aliases.map(({ alias, langcode }) => ({
    ...{ uuid: crypto.randomUUID(), sourcePath: sourcePath(alias), sourceQuery: NO_QUERY, targetTitle: null },
    ...{ targetUri: goneTarget(id), statusCode: STATUS_GONE, langcode, ownerId, created: now(), replacedPath: null },
  }));
  return [
    setOne({ id, tombstone: JSON.stringify({ ...described, deleted: now() }) }),
    ...rows.map((row) => statementOf(query.insert(redirects).values(row).onConflictDoNothing())),
  ];
}

/** Removes the tombstone of a node and the way from its aliases to it. Returns false if it has none. */
export async function removeTombstone({ database }: Pick<BaseServices, 'database'>, id: number): Promise<boolean> {
  if ((await findTombstone(database, id)) === undefined) return false;
  const isItsAlias = and(eq(redirects.targetUri, goneTarget(id)), eq(redirects.statusCode, STATUS_GONE));
  await database.write([setOne({ id, tombstone: null }), statementOf(query.delete(redirects).where(isItsAlias))]);
  return true;
}
