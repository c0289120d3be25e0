import { type SQL, sql } from 'drizzle-orm';
import { query } from '../database/query-builder.ts';
import { references } from '../database/schema/references.ts';
import { searchPending } from '../database/schema/search.ts';
import { excluded, namesOf } from '../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../database/statement.ts';
import { isNodeOf } from './relations.ts';

type Ids = { readonly ids: string };

const { nid, version, readsFiles } = searchPending;

/** Returns the statement that makes nodes pending, from a query of their ids. */
export function insertPending(nids: SQL, reads: 0 | 1) {
  return plain(sql`INSERT INTO ${searchPending} (${namesOf(nid, readsFiles)})
    SELECT DISTINCT id, ${sql.raw(String(reads))} FROM (${nids}) WHERE TRUE
    ON CONFLICT DO UPDATE SET ${namesOf(version)} = ${version} + 1,
      ${namesOf(readsFiles)} = max(${readsFiles}, ${excluded(readsFiles)})`);
}

/** Returns the query of the nodes of media, from a query of the ids of media. */
export function nodesOfMedia(media: SQL): SQL {
  return sql`SELECT ${references.targetId} AS id FROM (${media}) medium CROSS JOIN ${references}
    ON ${isNodeOf(references, sql`medium.id`)}`;
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
