import { type SQL, sql } from 'drizzle-orm';
import { alias, type SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { accessRules, mediaAccess, nodeAccess } from '../../database/schema/access.ts';
import { nested } from '../../database/sql.ts';
import type { EntityType } from '../../model/content-model.ts';

const rule = alias(accessRules, 'nr');
const [nodeSet, mediaSet] = [alias(nodeAccess, 'ns'), alias(mediaAccess, 'ms')];

/** Returns the id of the access set of a node, 0 for none. */
export function accessSetOf(nid: SQLiteColumn | SQL): SQL<number> {
  return sql`coalesce((SELECT ${nodeSet.setId} FROM ${nodeAccess} ${nodeSet} WHERE ${nodeSet.nid} = ${nid}), 0)`;
}

/** Returns the id of the access set that a media has itself, 0 for none. */
export function mediaSetOf(mid: SQLiteColumn | SQL): SQL<number> {
  return sql`coalesce((SELECT ${mediaSet.setId} FROM ${mediaAccess} ${mediaSet} WHERE ${mediaSet.mid} = ${mid}), 0)`;
}

/** Returns the id of the access set that content has itself, 0 for none. */
export function ownSetOf(type: EntityType, id: SQLiteColumn): SQL<number> {
  if (type === 'media') return mediaSetOf(id);
  return type === 'node' ? accessSetOf(id) : sql`0`;
}

/** Returns the access set of a node and its own rule as a JSON column for `readNodeAccess`; NULL without a set. */
export function nodeAccessOf(nid: SQLiteColumn): SQL<string | null> {
  return nested(sql`(SELECT json_array(${nodeSet.setId}, ${rule.rule}) FROM ${nodeAccess} ${nodeSet}
    LEFT JOIN ${accessRules} ${rule} ON ${rule.id} = ${nodeSet.ruleId} WHERE ${nodeSet.nid} = ${nid})`);
}

/** Returns the access set of a node, and the text of its own rule, from the column of `nodeAccessOf`. */
export function readNodeAccess(column: string): { accessSet: number; accessRule: string | undefined } {
  const [accessSet, accessRule] = JSON.parse(column) as [number, string | null];
  return { accessSet, accessRule: accessRule ?? undefined };
}
