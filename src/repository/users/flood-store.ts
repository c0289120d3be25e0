import { and, desc, eq, gte, lt, lte, or, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/sqlite-core';
import { accountIdentifier, FLOOD_LIMITS, type FloodEvent, type FloodStore, userIdentifier } from '../../auth/flood.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { floodEvents } from '../../database/schema/users.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare, type Statement } from '../../database/statement.ts';

type SinceName = `since:${FloodEvent}`;

/** Finds the latest failures of all events, in one statement since sign-in waits for it. */
const latestFailures = prepare((values: Named<Record<FloodEvent, string> & Record<SinceName, number>>) => {
  const latest = (event: FloodEvent) => {
    const events = query
      .select({ at: floodEvents.at })
      .from(floodEvents)
      .where(
        and(
          eq(floodEvents.event, event),
          eq(floodEvents.identifier, values[event]),
          gte(floodEvents.at, values[`since:${event}`]),
        ),
      )
      .orderBy(desc(floodEvents.at))
      .limit(FLOOD_LIMITS[event].maxFailures)
      .as(event);
    return query.select({ event: sql<FloodEvent>`${event}`.as('event'), at: events.at }).from(events);
  };
  return unionAll(latest('login-by-user'), latest('login-by-address'), latest('login-by-account'));
});
/** Removes the events that no longer count. */
export const removeExpired = prepare(({ now }: Named<{ now: number }>) =>
  query.delete(floodEvents).where(lt(floodEvents.expires, now)),
);
const addFailure = prepare(
  ({ event, identifier, at, expires }: Named<{ event: string; identifier: string; at: number; expires: number }>) =>
    query.insert(floodEvents).values({ event, identifier, at, expires }),
);
const removeFailures = prepare(
  ({ event, identifier, until }: Named<{ event: string; identifier: string; until: number }>) =>
    query
      .delete(floodEvents)
      .where(and(eq(floodEvents.event, event), eq(floodEvents.identifier, identifier), lte(floodEvents.at, until))),
);

/** Creates the store of failed sign-ins, which all processes of an installation share. */
export function createFloodStore({ all, write }: Database): FloodStore {
  return {
    async latest(identifiers, now) {
      const since = (event: FloodEvent) => now - FLOOD_LIMITS[event].windowMs;
      const failures = await all(
        latestFailures({
          ...identifiers,
          'since:login-by-user': since('login-by-user'),
          'since:login-by-address': since('login-by-address'),
          'since:login-by-account': since('login-by-account'),
        }),
      );
      const timesOf = (event: FloodEvent) =>
        failures.flatMap((row) => (row.event === event ? row.at : [])).toSorted((one, other) => other - one);
      return {
        'login-by-user': timesOf('login-by-user'),
        'login-by-address': timesOf('login-by-address'),
        'login-by-account': timesOf('login-by-account'),
      };
    },
    async record(identifiers, at, expires) {
      await write({
        expired: removeExpired({ now: at }),
        failures: Object.entries(identifiers).map(([event, identifier]) =>
          addFailure({ event, identifier, at, expires }),
        ),
      });
    },
    async clear(event, identifier, until) {
      await write({ cleared: removeFailures({ event, identifier, until }) });
    },
  };
}

const addressIdentifiers = prepare(() =>
  query
    .selectDistinct({ identifier: floodEvents.identifier })
    .from(floodEvents)
    .where(eq(floodEvents.event, 'login-by-address')),
);
const removeFailuresOfName = prepare(({ identifiers, account }: Named<{ identifiers: string; account: string }>) =>
  query
    .delete(floodEvents)
    .where(
      or(
        and(eq(floodEvents.event, 'login-by-user'), isAmong(floodEvents.identifier, identifiers)),
        and(eq(floodEvents.event, 'login-by-account'), eq(floodEvents.identifier, account)),
      ),
    ),
);

/** Returns the statement that removes the failures of a name at all addresses. Failures of those addresses remain. */
export async function forgetFailures(database: Database, name: string): Promise<Statement> {
  const rows = await database.all(addressIdentifiers());
  const identifiers = rows.map(({ identifier }) => userIdentifier(name, identifier));
  return removeFailuresOfName({ identifiers: JSON.stringify(identifiers), account: accountIdentifier(name) });
}
