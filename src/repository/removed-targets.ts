import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core';
import { references, removedTargets } from '../database/schema/references.ts';
import { isText, nested } from '../database/sql.ts';
import type { ContentType } from './access-rule.ts';

/**
 * What readers need to know about references to deleted entities that a task has not removed yet. With none of them, each
 * expression costs a look into an empty table.
 */

const removed = alias(removedTargets, 'gone');
const kept = alias(references, 'kept');

type Target = Readonly<Record<'targetType' | 'targetId', SQLiteColumn>>;

/** The condition that there are such references. */
export const HAS_REMOVED: SQL = sql`EXISTS (SELECT 1 FROM ${removedTargets})`;

/** Returns the condition that the target of a reference was deleted. */
export function isRemoved({ targetType, targetId }: Target): SQL {
  return sql`EXISTS (SELECT 1 FROM ${removedTargets} ${removed}
    WHERE ${removed.type} = ${targetType} AND ${removed.id} = ${targetId})`;
}

/**
 * Returns the condition that one of the references of a table or alias refers to a deleted entity. `restriction` selects them
 * by the index of sources.
 */
export function refersToRemoved(reference: SQLiteTable & Target, restriction: SQLWrapper): SQL {
  return nested(sql`EXISTS (SELECT 1 FROM ${removedTargets} ${removed} WHERE EXISTS (SELECT 1
    FROM ${references} ${reference} WHERE ${restriction} AND ${isTarget(reference)}))`);
}

/** Returns the number of deleted entities that content still refers to. */
export function lostTargets(type: ContentType, id: SQLiteColumn): SQL<number> {
  return nested(sql<number>`(SELECT count(*) FROM ${removedTargets} ${removed} WHERE EXISTS (SELECT 1
    FROM ${references} ${kept} WHERE ${isText(kept.sourceType, type)} AND ${kept.sourceId} = ${id}
      AND ${isTarget(kept)}))`);
}

/** Returns the condition that the target of a reference is the removed one, by no index: that of sources is better. */
function isTarget({ targetType, targetId }: Target): SQL {
  return sql`+${targetType} = ${removed.type} AND +${targetId} = ${removed.id}`;
}
