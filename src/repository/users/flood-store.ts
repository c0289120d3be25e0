import type { InStatement } from '@libsql/client';
import { accountIdentifier, type FloodStore, userIdentifier } from '../../auth/flood.ts';
import type { Database } from '../../database/database.ts';

/** Failed attempts to sign in, in the database: every process of an installation counts them together. */
export function createFloodStore({ client, write }: Database): FloodStore {
  return {
    async latest(event, identifier, since, limit) {
      const { rows } = await client.execute({
        sql: 'SELECT at FROM flood_event WHERE event = ? AND identifier = ? AND at >= ? ORDER BY at DESC LIMIT ?',
        args: [event, identifier, since, limit],
      });
      return rows.map((row) => Number(row[0]));
    },
    async record(event, identifier, at, expiresAt) {
      await write([
        { sql: 'DELETE FROM flood_event WHERE expires < ?', args: [at] },
        {
          sql: 'INSERT INTO flood_event (event, identifier, at, expires) VALUES (?, ?, ?, ?)',
          args: [event, identifier, at, expiresAt],
        },
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
