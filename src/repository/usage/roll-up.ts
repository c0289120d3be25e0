import { lt, min, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { usageClicks, usageSalts } from '../../database/schema/usage.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { addOwn, addToAll, addWithin } from './add-numbers.ts';
import { DAY_S } from './store-uses.ts';
import { DOUBLE_CLICK_S } from './use-counter.ts';

const HOUR_S = 3_600;
/** The time after an hour within which all processes have stored its uses. */
const GRACE_S = 480;

/**
 * Returns the numbers by subject and day of all complete hours, as COUNTER counts them. Of uses of the same thing at most 30 s apart
 * the last one counts (7.2). A visitor, an hour and a subject are one unique use (7.3). `id` is the column of the subject.
 */
function numbersOf(id: SQL, where: SQL, boundary: SQL): SQL {
  const hours = sql.raw(String(DAY_S / HOUR_S));
  return sql`SELECT id, hour / ${hours} AS day, sum(clicks) AS investigations, count(*) AS unique_investigations,
      sum(files) AS requests, count(nullif(files, 0)) AS unique_requests
    FROM (
      SELECT id, at / ${sql.raw(String(HOUR_S))} AS hour, count(*) AS clicks, count(nullif(file, 0)) AS files
      FROM (
        SELECT ${id} AS id, visitor, at, file_id AS file,
          lead(at) OVER (PARTITION BY ${id}, visitor, file_id ORDER BY at) AS following
        FROM ${usageClicks} WHERE ${where}
      )
      WHERE at < ${boundary} AND (following IS NULL OR following - at > ${sql.raw(String(DOUBLE_CLICK_S))})
      GROUP BY id, visitor, hour
    )
    GROUP BY id, day`;
}

const ITEM = { id: sql`node_id`, where: sql`node_id > 0` };
const FILE = { id: sql`file_id`, where: sql`file_id > 0` };

type Until = Named<{ boundary: number }>;
const items = ({ boundary }: Until) => numbersOf(ITEM.id, ITEM.where, boundary);
const files = ({ boundary }: Until) => numbersOf(FILE.id, FILE.where, boundary);

const countItems = prepare((until: Until) => plain(addOwn('item', items(until))));
const countFiles = prepare((until: Until) => plain(addOwn('file', files(until))));
const countWithin = prepare((until: Until) => plain(addWithin(items(until))));
const countAll = prepare((until: Until) => plain(addToAll(items(until))));
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
    items: countItems({ boundary }),
    files: countFiles({ boundary }),
    within: countWithin({ boundary }),
    repository: countAll({ boundary }),
    clicks: removeClicks({ boundary }),
    salts: removeSalts({ day }),
  });
}
