import { sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { usageDays } from '../../database/schema/usage.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { addToAll, addWithin, SUBJECT, setNumbers } from './add-numbers.ts';
import type { UsageNumbers } from './find-usage.ts';

/** The numbers of an item or file on a day (since 1970, in UTC). */
export interface DayUsage extends UsageNumbers {
  readonly subject: 'item' | 'file';
  readonly id: number;
  readonly day: number;
}

type Rows = Named<{ rows: string }>;

const GIVEN = sql.join(
  ['kind', 'id', 'day', 'views', 'uniqueViews', 'downloads', 'uniqueDownloads'].map(
    (name, at) => sql`value ->> ${sql.raw(String(at))} AS ${sql.identifier(name)}`,
  ),
  sql`, `,
);
const given = ({ rows }: Rows) => sql`SELECT ${GIVEN} FROM json_each(${rows})`;
const { totalInvestigations, uniqueInvestigations, totalRequests, uniqueRequests } = usageDays;

/** The differences of items from the numbers that are stored. */
const changesOf = (values: Rows) => sql`SELECT n.id AS id, n.day AS day,
    n.views - coalesce(${totalInvestigations}, 0) AS investigations,
    n.uniqueViews - coalesce(${uniqueInvestigations}, 0) AS unique_investigations,
    n.downloads - coalesce(${totalRequests}, 0) AS requests,
    n.uniqueDownloads - coalesce(${uniqueRequests}, 0) AS unique_requests
  FROM (${given(values)}) n LEFT JOIN ${usageDays}
    ON ${usageDays.kind} = n.kind AND ${usageDays.id} = n.id AND ${usageDays.day} = n.day
  WHERE n.kind = ${sql.raw(String(SUBJECT.item))}`;

const changeWithin = prepare((values: Rows) => plain(addWithin(changesOf(values))));
const changeAll = prepare((values: Rows) => plain(addToAll(changesOf(values))));
const setGiven = prepare((values: Rows) => plain(setNumbers(given(values))));

/**
 * Sets the numbers of items and files on days, all or none. The numbers of the nodes that contain the items, and of all items, change
 * by the differences, so that the same numbers may be set again. No subject may have two rows of a day.
 */
export async function setUsage(database: Database, days: readonly DayUsage[]): Promise<void> {
  const rows = JSON.stringify(
    days.map(({ subject, id, day, views, uniqueViews, downloads, uniqueDownloads }) => [
      ...[SUBJECT[subject], id, day],
      ...[views, uniqueViews, downloads, uniqueDownloads],
    ]),
  );
  // The first two read the numbers that the last one replaces.
  await database.write({ within: changeWithin({ rows }), all: changeAll({ rows }), own: setGiven({ rows }) });
}
