import { min, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { usageDays } from '../../database/schema/usage.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { DATES, inPeriod, NUMBERS, SUMS, type UsagePeriodValues, type UsageRow } from './find-usage.ts';
import { SUBJECT } from './roll-up.ts';
import type { UsagePeriod } from './usage-days.ts';

const named = alias(references, 'm');
/** The URI of the model of an item. */
const modelOf = (id: ReturnType<typeof sql>) => sql<string | null>`(SELECT ${termUris.uri}
  FROM ${references} ${named} JOIN ${termUris} ON ${termUris.termId} = ${named.targetId}
  WHERE ${named.sourceType} = 'node' AND ${named.sourceId} = ${id} AND ${named.field} = 'field_model' AND ${named.delta} = 0
    AND ${named.targetType} = 'taxonomy_term' ORDER BY ${termUris.delta} LIMIT 1)`;

const findByModel = prepare((values: UsagePeriodValues) =>
  plain(
    sql`SELECT ${modelOf(sql`item`)} AS model, date, sum(a), sum(b), sum(c), sum(d) FROM (
        SELECT ${usageDays.id} AS item, ${DATES.month} AS date, ${SUMS} FROM ${usageDays}
        WHERE ${inPeriod(values)} GROUP BY item, date
      ) GROUP BY model, date ORDER BY model, date`,
    { model: sql<string | null>`model`, date: sql<string>`date`, ...NUMBERS },
  ),
);

/** Finds the use of all items by the URI of their model and by month. */
export function findUsageByModel(
  database: Database,
  period: UsagePeriod,
): Promise<(Omit<UsageRow, 'id'> & { readonly model: string | null })[]> {
  return database.all(findByModel({ subject: SUBJECT.item, ...period }));
}

const findModels = prepare(({ ids }: Named<{ ids: string }>) =>
  plain(sql`SELECT value, ${modelOf(sql`value`)} FROM json_each(${ids})`, {
    id: sql<number>`value`,
    model: sql<string | null>`model`,
  }),
);

/** Finds the URIs of the models of items. */
export async function findModelUris(
  database: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string | null>> {
  const rows = await database.all(findModels({ ids: JSON.stringify(ids) }));
  return new Map(rows.map(({ id, model }) => [id, model]));
}

const findFirst = prepare(() =>
  query
    .select({ day: min(usageDays.day) })
    .from(usageDays)
    .where(sql`${usageDays.kind} = ${sql.raw(String(SUBJECT.repository))}`),
);

/** Finds the first day with numbers, since 1970 in UTC. Undefined without any. */
export async function findFirstDay(database: Database): Promise<number | undefined> {
  return (await database.get(findFirst()))?.day ?? undefined;
}
