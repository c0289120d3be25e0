import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { query } from '../database/query-builder.ts';
import { references } from '../database/schema/references.ts';
import { searchPending } from '../database/schema/search.ts';
import { excluded, isAmong, isTextWithoutIndex, namesOf } from '../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../database/statement.ts';
import { isNodeOf, refersTo } from './relations.ts';

type Ids = { readonly ids: string };

const { nid, version, readsFiles } = searchPending;

/** Returns the statement that makes nodes pending, from a query of their ids. */
function insertPending(nids: SQL, reads: 0 | 1) {
  return plain(sql`INSERT INTO ${searchPending} (${namesOf(nid, readsFiles)})
    SELECT DISTINCT id, ${sql.raw(String(reads))} FROM (${nids}) WHERE TRUE
    ON CONFLICT DO UPDATE SET ${namesOf(version)} = ${version} + 1,
      ${namesOf(readsFiles)} = max(${readsFiles}, ${excluded(readsFiles)})`);
}

const pendingByTarget = prepare(({ type, ids }: Named<Ids & { readonly type: string }>) =>
  insertPending(
    sql`SELECT ${references.sourceId} AS id FROM ${references} WHERE ${references.targetType} = ${type}
      AND ${isAmong(references.targetId, ids)} AND ${isTextWithoutIndex(references.sourceType, 'node')}`,
    0,
  ),
);
const host = alias(references, 'h');
const pendingByFile = prepare(({ ids }: Named<Ids>) =>
  insertPending(
    sql`SELECT ${host.targetId} AS id FROM ${references} CROSS JOIN ${references} ${host}
        ON ${isNodeOf(host, references.sourceId)}
      WHERE ${refersTo(references, 'file')} AND ${isAmong(references.targetId, ids)}
        AND ${references.sourceType} = 'media'`,
    1,
  ),
);

/**
 * Returns the statement that makes the nodes pending whose index depends on targets: renamed or removed terms, removed
 * nodes. It runs before their references are removed. `ids` is a JSON list.
 */
export function nodesOfTargets(type: 'taxonomy_term' | 'node', ids: string): Statement {
  return pendingByTarget({ type, ids });
}

/** Returns the statement that makes the nodes pending whose media have a file with other bytes, or a removed one. */
export function nodesOfFiles(ids: string): Statement {
  return pendingByFile({ ids });
}

const pendingByIds = prepare(({ ids }: Named<Ids>) => insertPending(sql`SELECT value AS id FROM json_each(${ids})`, 0));

/** Returns the statement that makes nodes pending. */
export function makePending(ids: readonly number[]): Statement {
  return pendingByIds({ ids: JSON.stringify(ids) });
}

/** Finds the next pending nodes. */
export const findPending = prepare(({ limit }: Named<{ limit: number }>) =>
  query.select({ nid, version, readsFiles }).from(searchPending).orderBy(nid).limit(limit),
);

/** Removes a pending node, unless it became pending again. */
export const removePending = prepare((done: Named<{ nid: number; version: number }>) =>
  query.delete(searchPending).where(sql`${nid} = ${done.nid} AND ${version} = ${done.version}`),
);
