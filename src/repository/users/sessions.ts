import type { Database } from '../../database/database.ts';

/** Sessions by the digest of their cookie's value. Times are seconds since 1970. */
export interface Sessions {
  begin(idHash: string, userId: number, expires: number): Promise<void>;
  end(idHash: string): Promise<void>;
}

/** Sessions in the database: every process of an installation knows them. `now` is in seconds. */
export function createSessions({ write }: Database, now: () => number): Sessions {
  return {
    async begin(idHash, userId, expires) {
      await write([
        { sql: 'DELETE FROM session WHERE expires < ?', args: [now()] },
        {
          sql: 'INSERT INTO session (id_hash, user_id, created, expires) VALUES (?, ?, ?, ?)',
          args: [idHash, userId, now(), expires],
        },
        { sql: 'UPDATE user SET login = ?1, access = ?1 WHERE id = ?2', args: [now(), userId] },
      ]);
    },
    async end(idHash) {
      await write([{ sql: 'DELETE FROM session WHERE id_hash = ?', args: [idHash] }]);
    },
  };
}
