import { and, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Database } from '../../../database/database.ts';
import { query } from '../../../database/query-builder.ts';
import { references } from '../../../database/schema/references.ts';
import { failIf, isAmong, isText, isTextWithoutIndex } from '../../../database/sql.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';

/** Maximum number of descendants of a term: more are a cycle or an attack. */
const MAX_DESCENDANTS = 100_000;

/** A JSON list of ids. */
type Ids = { readonly ids: string };

const link = alias(references, 'link');
const child = alias(references, 'child');

/** Returns the condition that a row of references is one of a term to its parent. */
const isLink = ({ sourceType, targetType, field }: typeof link | typeof child) =>
  sql`${sourceType} = 'taxonomy_term' AND ${targetType} = 'taxonomy_term' AND ${field} = 'parent'`;

const findBelow = prepare(({ id }: Named<{ id: number }>) =>
  plain(
    sql`WITH RECURSIVE below (id) AS (
        SELECT ${link.sourceId} FROM ${references} ${link} WHERE ${link.targetId} = ${id} AND ${isLink(link)}
        UNION
        SELECT ${link.sourceId} FROM below b CROSS JOIN ${references} ${link} ON ${link.targetId} = b.id AND ${isLink(link)}
        LIMIT ${sql.raw(String(MAX_DESCENDANTS))})
      SELECT id FROM below WHERE id <> ${id}`,
    { id: link.sourceId },
  ),
);
const findLinks = prepare(({ ids }: Named<Ids>) =>
  query
    .select({ child: link.sourceId, parent: link.targetId })
    .from(link)
    .where(
      and(
        isText(link.sourceType, 'taxonomy_term'),
        isAmong(link.sourceId, ids),
        isText(link.field, 'parent'),
        isTextWithoutIndex(link.targetType, 'taxonomy_term'),
      ),
    ),
);

/** Returns a term and the terms below it that have no parent elsewhere: the narrowest first, the term itself last. */
export async function withDescendants(database: Database, id: number): Promise<number[]> {
  const below = await database.all(findBelow({ id }));
  const removed = new Set([id, ...below.map((term) => term.id)]);
  const links = await database.all(findLinks({ ids: JSON.stringify([...removed]) }));
  // A term with another parent stays, and so do its own descendants.
  for (let before = -1; before !== removed.size; ) {
    before = removed.size;
    for (const { child: term, parent } of links) if (term !== id && !removed.has(parent)) removed.delete(term);
  }
  return inOrder(id, removed, links);
}

interface Link {
  readonly child: number;
  readonly parent: number;
}

/** Sorts terms so that each follows those below it. Terms in a circle come before the term itself. */
function inOrder(id: number, removed: ReadonlySet<number>, links: readonly Link[]): number[] {
  const within = links.filter(({ child, parent }) => removed.has(child) && removed.has(parent));
  const parentsOf = Map.groupBy(within, ({ child }) => child);
  const childrenLeft = new Map<number, number>();
  for (const { parent } of within) childrenLeft.set(parent, (childrenLeft.get(parent) ?? 0) + 1);
  const ordered = new Set([...removed].filter((term) => !childrenLeft.has(term)));
  for (const term of ordered)
    for (const { parent } of parentsOf.get(term) ?? []) {
      const left = (childrenLeft.get(parent) ?? 0) - 1;
      childrenLeft.set(parent, left);
      if (left === 0) ordered.add(parent);
    }
  return [...new Set([...ordered, ...removed])].filter((term) => term !== id).concat(id);
}

/**
 * Fails a batch if terms were moved since `withDescendants` read them: one of `ids` has another parent than `all` now, or none, or
 * another term has only removed parents.
 */
export const failIfMoved = prepare(({ id, ids, all }: Named<{ id: number; ids: string; all: string }>) => {
  const gone = sql`(SELECT value FROM json_each(${ids}))`;
  const allGone = sql`(SELECT value FROM json_each(${all}))`;
  const hasLink = (term: SQLWrapper, more = sql``) =>
    sql`EXISTS (SELECT 1 FROM ${references} ${link} WHERE ${isLink(link)} AND ${link.sourceId} = ${term}${more})`;
  const elsewhere = sql` AND ${link.targetId} NOT IN ${allGone}`;
  const term = sql`j.value`;
  return failIf(
    'stale',
    sql`EXISTS (SELECT 1 FROM json_each(${ids}) j WHERE ${term} <> ${id}
        AND (NOT ${hasLink(term)} OR ${hasLink(term, elsewhere)}))
      OR EXISTS (SELECT 1 FROM ${references} ${child} WHERE ${isLink(child)} AND ${child.targetId} IN ${gone}
        AND ${child.sourceId} NOT IN ${allGone} AND NOT ${hasLink(child.sourceId, elsewhere)})`,
  );
});
