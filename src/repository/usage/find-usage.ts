import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { usageDays } from '../../database/schema/usage.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { SUBJECT } from './roll-up.ts';
import type { UsagePeriod } from './usage-days.ts';

/** What numbers are about (`SUBJECT`). */
export type UsageSubject = keyof typeof SUBJECT;

/** The numbers of COUNTER: total and unique item investigations and requests. */
export interface UsageNumbers {
  readonly views: number;
  readonly uniqueViews: number;
  readonly downloads: number;
  readonly uniqueDownloads: number;
}

/** The numbers of a subject in a day or month. */
export interface UsageRow extends UsageNumbers {
  readonly id: number;
  /** `2026-11-28` or `2026-11`. */
  readonly date: string;
}

/** The length of the periods that have a row each. */
export type UsageStep = 'day' | 'month';

/** Subjects whose rows are read at a time. */
const SUBJECTS_AT_ONCE = 200;

const { kind, id, day } = usageDays;
/** The columns of `NUMBERS`. */
export const SUMS = sql`sum(${usageDays.totalInvestigations}) AS a, sum(${usageDays.uniqueInvestigations}) AS b,
  sum(${usageDays.totalRequests}) AS c, sum(${usageDays.uniqueRequests}) AS d`;
/** The fields of a row with the numbers of a subject. */
export const NUMBERS = {
  views: sql<number>`views`,
  uniqueViews: sql<number>`uniqueViews`,
  downloads: sql<number>`downloads`,
  uniqueDownloads: sql<number>`uniqueDownloads`,
};
/** The dates of periods as they are shown. */
export const DATES: Readonly<Record<UsageStep, SQL>> = {
  day: sql`date(${day} * 86400, 'unixepoch')`,
  month: sql`strftime('%Y-%m', ${day} * 86400, 'unixepoch')`,
};

/** The use of a node. Undefined numbers: it was not used, or no item in it. */
export interface NodeUse {
  readonly own: UsageNumbers | undefined;
  readonly within: UsageNumbers | undefined;
}

const findAll = prepare(({ node }: Named<{ node: number }>) =>
  plain(
    sql`SELECT ${kind}, ${SUMS} FROM ${usageDays} WHERE ${kind} IN (${sql.raw(`${SUBJECT.item}, ${SUBJECT.within}`)})
    AND ${id} = ${node} GROUP BY ${kind}`,
    { kind, ...NUMBERS },
  ),
);

/** Finds how often a node and the items in it were used, on all days. */
export async function findNodeUse(database: Database, node: number): Promise<NodeUse> {
  const rows = await database.all(findAll({ node }));
  const of = (subject: UsageSubject) => rows.find((row) => row.kind === SUBJECT[subject]);
  return { own: of('item'), within: of('within') };
}

/** The values of `inPeriod`. */
export type UsagePeriodValues = Named<{ subject: number; first: number; last: number }>;
/** Returns the condition that a row is about a kind of subject in a period. */
export const inPeriod = ({ subject, first, last }: UsagePeriodValues) =>
  sql`${kind} = ${subject} AND ${day} BETWEEN ${first} AND ${last}`;

const findMonths = prepare((period: UsagePeriodValues) =>
  plain(
    sql`SELECT ${DATES.month} AS month, ${SUMS} FROM ${usageDays} WHERE ${inPeriod(period)} GROUP BY month ORDER BY month`,
    {
      date: sql<string>`month`,
      ...NUMBERS,
    },
  ),
);

/** Finds the use of all items by month. Months without use are missing. */
export function findUsageByMonth(database: Database, period: UsagePeriod): Promise<Omit<UsageRow, 'id'>[]> {
  return database.all(findMonths({ subject: SUBJECT.repository, ...period }));
}

const findMost = prepare((values: UsagePeriodValues & Named<{ limit: number }>) =>
  plain(
    sql`SELECT ${id}, ${SUMS} FROM ${usageDays} WHERE ${inPeriod(values)} GROUP BY ${id} ORDER BY 2 DESC, 1 LIMIT ${values.limit}`,
    {
      id,
      ...NUMBERS,
    },
  ),
);

/** Finds the subjects with the most views in a period. */
export function findMostUsed(
  database: Database,
  subject: UsageSubject,
  period: UsagePeriod,
  limit: number,
): Promise<(UsageNumbers & { readonly id: number })[]> {
  return database.all(findMost({ subject: SUBJECT[subject], ...period, limit }));
}

const rowsBy = (step: UsageStep) =>
  prepare((values: UsagePeriodValues & Named<{ after: number; count: number }>) => {
    const { after, count } = values;
    const period = inPeriod(values);
    return plain(
      sql`SELECT ${id}, ${DATES[step]} AS date, ${SUMS} FROM ${usageDays}
        WHERE ${period} AND ${id} > ${after} AND ${id} <= (SELECT max(id) FROM (
          SELECT DISTINCT ${id} FROM ${usageDays} WHERE ${period} AND ${id} > ${after} ORDER BY ${id} LIMIT ${count}))
        GROUP BY ${id}, date ORDER BY ${id}, date`,
      { id, date: sql<string>`date`, ...NUMBERS },
    );
  });
const ROWS: Readonly<Record<UsageStep, ReturnType<typeof rowsBy>>> = { day: rowsBy('day'), month: rowsBy('month') };

/** Reads the numbers of all subjects of a kind in a period, in the order of their ids, in parts of complete subjects. */
export async function* readUsage(
  database: Database,
  subject: UsageSubject,
  period: UsagePeriod,
  step: UsageStep,
): AsyncGenerator<UsageRow[]> {
  const fixed = { subject: SUBJECT[subject], ...period, count: SUBJECTS_AT_ONCE };
  for (let after = 0; ; ) {
    const rows = await database.all(ROWS[step]({ ...fixed, after }));
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = last.id;
  }
}

const findUris = prepare(({ ids }: Named<{ ids: string }>) =>
  query.select({ id: files.id, uri: files.uri }).from(files).where(isAmong(files.id, ids)),
);

/** Finds the URIs of files that exist. */
export async function findFileUris(database: Database, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const rows = ids.length === 0 ? [] : await database.all(findUris({ ids: JSON.stringify(ids) }));
  return new Map(rows.map((row) => [row.id, row.uri]));
}
