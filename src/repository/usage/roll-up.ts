import { lt, min, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { references } from '../../database/schema/references.ts';
import { usageClicks, usageDays, usageSalts } from '../../database/schema/usage.ts';
import { excluded, namesOf } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { isParentOf } from '../relations.ts';
import { DAY_S } from './store-uses.ts';
import { DOUBLE_CLICK_S } from './use-counter.ts';

/** The subjects of the numbers: an item, a file, all items within a node, and all items (with the id 0). */
export const SUBJECT = { item: 1, file: 2, within: 3, repository: 4 } as const;

const HOUR_S = 3_600;
/** The time after an hour within which all processes have stored its uses. */
const GRACE_S = 180;

const NUMBERS = [
  usageDays.totalInvestigations,
  usageDays.uniqueInvestigations,
  usageDays.totalRequests,
  usageDays.uniqueRequests,
] as const;
const ADDED = sql.join(
  NUMBERS.map((column) => sql`${sql.identifier(column.name)} = ${column} + ${excluded(column)}`),
  sql`, `,
);
const INSERT = sql`INSERT INTO ${usageDays} (${namesOf(usageDays.kind, usageDays.id, usageDays.day, ...NUMBERS)})`;
const ADD = sql`ON CONFLICT DO UPDATE SET ${ADDED}`;

/**
 * Returns the numbers by subject and day of all complete hours, as COUNTER counts them. Of uses of the same thing at most 30 s apart
 * the last one counts (7.2). A visitor, an hour and a subject are one unique use (7.3). `id` is the column of the subject.
 */
function numbersOf(id: SQL, where: SQL, boundary: SQL): SQL {
  const session = sql`visitor || ' ' || (at / ${sql.raw(String(HOUR_S))})`;
  return sql`SELECT id, at / ${sql.raw(String(DAY_S))} AS day, count(*) AS investigations,
      count(DISTINCT ${session}) AS unique_investigations, count(CASE WHEN file > 0 THEN 1 END) AS requests,
      count(DISTINCT CASE WHEN file > 0 THEN ${session} END) AS unique_requests
    FROM (
      SELECT ${id} AS id, visitor, at, file_id AS file,
        lead(at) OVER (PARTITION BY visitor, ${id}, file_id ORDER BY at, rowid) AS following
      FROM ${usageClicks} WHERE ${where}
    )
    WHERE at < ${boundary} AND (following IS NULL OR following - at > ${sql.raw(String(DOUBLE_CLICK_S))})
    GROUP BY id, day`;
}

const ITEM = { id: sql`node_id`, where: sql`node_id > 0` };
const FILE = { id: sql`file_id`, where: sql`file_id > 0` };
const parent = alias(references, 'r');

const addNumbers = (subject: keyof typeof SUBJECT, { id, where }: typeof ITEM) =>
  prepare(({ boundary }: Named<{ boundary: number }>) =>
    plain(sql`${INSERT} SELECT ${sql.raw(String(SUBJECT[subject]))}, counted.* FROM (${numbersOf(id, where, boundary)}) counted
      WHERE TRUE ${ADD}`),
  );
const addItems = addNumbers('item', ITEM);
const addFiles = addNumbers('file', FILE);

/** The numbers of a node's members at any depth are sums of those of the items, and stay when a member moves or is deleted. */
const addWithin = prepare(({ boundary }: Named<{ boundary: number }>) =>
  plain(sql`WITH RECURSIVE
      counted AS MATERIALIZED (${numbersOf(ITEM.id, ITEM.where, boundary)}),
      above (id, ancestor) AS (
        SELECT counted.id, ${parent.targetId} FROM counted JOIN ${references} ${parent} ON ${isParentOf(parent, sql`counted.id`)}
        UNION
        SELECT above.id, ${parent.targetId} FROM above JOIN ${references} ${parent} ON ${isParentOf(parent, sql`above.ancestor`)}
      )
    ${INSERT} SELECT ${sql.raw(String(SUBJECT.within))}, ancestor, day, sum(investigations), sum(unique_investigations),
      sum(requests), sum(unique_requests)
    FROM counted JOIN above ON above.id = counted.id WHERE ancestor <> counted.id GROUP BY ancestor, day ${ADD}`),
);
const addRepository = prepare(({ boundary }: Named<{ boundary: number }>) =>
  plain(sql`${INSERT} SELECT ${sql.raw(String(SUBJECT.repository))}, 0, day, sum(investigations), sum(unique_investigations),
      sum(requests), sum(unique_requests)
    FROM (${numbersOf(ITEM.id, ITEM.where, boundary)}) counted WHERE TRUE GROUP BY day ${ADD}`),
);
const removeClicks = prepare(({ boundary }: Named<{ boundary: number }>) =>
  query.delete(usageClicks).where(lt(usageClicks.at, boundary)),
);
const removeSalts = prepare(({ day }: Named<{ day: number }>) =>
  query.delete(usageSalts).where(lt(usageSalts.day, day)),
);

const findOldest = prepare(() =>
  query
    .select({ at: min(usageClicks.at), salt: sql<number | null>`(SELECT min(day) FROM ${usageSalts})` })
    .from(usageClicks),
);

/** Returns the end of the last hour whose uses are complete. Both times are seconds since 1970. */
export function completeUntil(now: number): number {
  return Math.floor((now - GRACE_S) / HOUR_S) * HOUR_S;
}

/**
 * Adds the uses of all complete hours to the numbers of their days, and deletes them with the salts of earlier days. One
 * transaction: of several processes, one counts an hour, and a killed one counts nothing twice. `now` is in seconds since 1970.
 */
export async function rollUp(database: Database, now: number): Promise<void> {
  const boundary = completeUntil(now);
  const day = Math.floor((now - GRACE_S) / DAY_S);
  const oldest = await database.get(findOldest());
  const hasUses = oldest?.at != null && oldest.at < boundary;
  if (!hasUses && (oldest?.salt == null || oldest.salt >= day)) return;
  await database.write({
    items: addItems({ boundary }),
    files: addFiles({ boundary }),
    within: addWithin({ boundary }),
    repository: addRepository({ boundary }),
    clicks: removeClicks({ boundary }),
    salts: removeSalts({ day }),
  });
}
