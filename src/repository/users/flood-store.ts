import type { InStatement } from '@libsql/client';
import { accountIdentifier, FLOOD_LIMITS, type FloodEvent, type FloodStore, userIdentifier } from '../../auth/flood.ts';
import type { Database } from '../../database/database.ts';

const EVENTS = Object.keys(FLOOD_LIMITS) as FloodEvent[];

/** Returns the latest failures of each kind, in one statement because sign-in waits for it. */
const LATEST = EVENTS.map(
  () =>
    `SELECT * FROM (SELECT event, at FROM flood_event WHERE event = ? AND identifier = ? AND at >= ?
      ORDER BY at DESC LIMIT ?)`,
).join(' UNION ALL ');

/** Failed attempts to sign in, in the database: every process of an installation counts them together. */
export function createFloodStore({ client, write }: Database): FloodStore {
  return {
    async latest(identifiers, now) {
      const args = EVENTS.flatMap((event) => {
        const { maxFailures, windowMs } = FLOOD_LIMITS[event];
        return [event, identifiers[event], now - windowMs, maxFailures];
      });
      const { rows } = await client.execute({ sql: LATEST, args });
      const timesOf = (event: FloodEvent) =>
        rows.flatMap((row) => (row[0] === event ? Number(row[1]) : [])).sort((one, other) => other - one);
      return {
        'login-by-user': timesOf('login-by-user'),
        'login-by-address': timesOf('login-by-address'),
        'login-by-account': timesOf('login-by-account'),
      };
    },
    async record(identifiers, at, expiresAt) {
      await write([
        { sql: 'DELETE FROM flood_event WHERE expires < ?', args: [at] },
        ...Object.entries(identifiers).map(([event, identifier]) => ({
          sql: 'INSERT INTO flood_event (event, identifier, at, expires) VALUES (?, ?, ?, ?)',
          args: [event, identifier, at, expiresAt],
        })),
      ]);
    },
    async clear(event, identifier, until) {
      const sql = 'DELETE FROM flood_event WHERE event = ? AND identifier = ? AND at <= ?';
      await write([{ sql, args: [event, identifier, until] }]);
    },
  };
}

/** The statement that forgets where a name failed to sign in, at all addresses. Failures of those addresses go on to count. */
export async function forgetFailures({ client }: Database, name: string): Promise<InStatement> {
  const { rows } = await client.execute("SELECT DISTINCT identifier FROM flood_event WHERE event = 'login-by-address'");
  const identifiers = rows.map((row) => userIdentifier(name, String(row[0])));
  return {
    sql: `DELETE FROM flood_event WHERE event = 'login-by-user' AND identifier IN (SELECT value FROM json_each(?))
      OR event = 'login-by-account' AND identifier = ?`,
    args: [JSON.stringify(identifiers), accountIdentifier(name)],
  };
}
