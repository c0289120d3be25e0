import { and, desc, eq, gte, lt, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { traffic } from '../../database/schema/traffic.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { TrafficKind, TrafficRow } from '../../http/traffic-counter.ts';
import type { Work } from '../../runs/keep-working.ts';

/** The interval at which a process stores what it has counted, in milliseconds. */
const STORE_MS = 60_000;
const HOUR_S = 3_600;

type Counted = TrafficRow & { readonly hour: number };

const addRow = prepare(({ hour, kind, name, requests, refused, milliseconds }: Named<Counted>) =>
  query
    .insert(traffic)
    .values({ hour, kind, name, requests, refused, milliseconds })
    .onConflictDoUpdate({
      target: [traffic.hour, traffic.kind, traffic.name],
      set: {
        requests: sql`${traffic.requests} + excluded.requests`,
        refused: sql`${traffic.refused} + excluded.refused`,
        milliseconds: sql`${traffic.milliseconds} + excluded.milliseconds`,
      },
    }),
);
const removeBefore = prepare(({ hour }: Named<{ hour: number }>) =>
  query.delete(traffic).where(lt(traffic.hour, hour)),
);

/** The counts that are to be stored. */
interface TrafficSource {
  take(): readonly TrafficRow[];
}

/** Creates the task that stores the traffic of a process, and removes what is older than `keptSeconds`. */
export function createTrafficTask(
  database: Database,
  source: TrafficSource,
  keptSeconds: number,
  now: () => number,
): Work {
  let removedBefore = 0;
  return {
    failure: 'the traffic cannot be stored at present',
    lookMs: STORE_MS,
    firstMs: STORE_MS,
    async step() {
      const hour = Math.floor(now() / HOUR_S);
      const firstKept = hour - Math.ceil(keptSeconds / HOUR_S) + 1;
      const rows = source.take();
      await storeTraffic(database, rows, hour);
      if (firstKept > removedBefore) await database.write([removeBefore({ hour: firstKept })]);
      removedBefore = firstKept;
      return false;
    },
  };
}

/** Adds counts to those of an hour, in hours since 1970. */
export async function storeTraffic(database: Database, rows: readonly TrafficRow[], hour: number): Promise<void> {
  if (rows.length === 0) return;
  await database.write({
    rows: rows.map((row) => addRow({ ...row, milliseconds: Math.round(row.milliseconds), hour })),
  });
}

const sums = {
  requests: sql<number>`sum(${traffic.requests})`.as('requests'),
  refused: sql<number>`sum(${traffic.refused})`.as('refused'),
  milliseconds: sql<number>`sum(${traffic.milliseconds})`.as('milliseconds'),
};
const largest = prepare(({ kind, since, limit }: Named<{ kind: string; since: number; limit: number }>) =>
  query
    .select({ name: traffic.name, ...sums })
    .from(traffic)
    .where(and(gte(traffic.hour, since), eq(traffic.kind, kind)))
    .groupBy(traffic.name)
    .orderBy(desc(sql`sum(${traffic.milliseconds})`), desc(sql`sum(${traffic.requests})`), traffic.name)
    .limit(limit),
);
const byHour = prepare(({ kind, since }: Named<{ kind: string; since: number }>) =>
  query
    .select({ hour: traffic.hour, ...sums })
    .from(traffic)
    .where(and(gte(traffic.hour, since), eq(traffic.kind, kind)))
    .groupBy(traffic.hour)
    .orderBy(desc(traffic.hour)),
);

/** Returns the sums of a kind since an hour, those with the most time and requests first. */
export function findLargest(database: Database, kind: TrafficKind, since: number, limit: number) {
  return database.all(largest({ kind, since, limit }));
}

/** Returns the sums of each hour, the latest first. */
export function findTrafficByHour(database: Database, since: number) {
  return database.all(byHour({ kind: 'network', since }));
}
