import type { Database } from '../../database/database.ts';
import type { Account } from './find-account.ts';

/** Sessions by the digest of their cookie's value. Times are seconds since 1970. */
export interface Sessions {
  /**
   * Begins a session of a user whose password has just matched `passwordHash`. Returns false without beginning one if
   * the user has been blocked or the password changed since.
   */
  begin(idHash: string, user: Pick<Account, 'id' | 'passwordHash'>, expires: number): Promise<boolean>;
  end(idHash: string): Promise<void>;
}

/** Sessions in the database: every process of an installation knows them. `now` is in seconds. */
export function createSessions({ write }: Database, now: () => number): Sessions {
  return {
    async begin(idHash, { id, passwordHash = null }, expires) {
      const isSame = 'id = ? AND status = 1 AND password_hash IS ?';
      const [, inserted] = await write([
        { sql: 'DELETE FROM session WHERE expires < ?', args: [now()] },
        {
          sql: `INSERT INTO session (id_hash, user_id, created, expires) SELECT ?, id, ?, ? FROM user WHERE ${isSame}`,
          args: [idHash, now(), expires, id, passwordHash],
        },
        {
          sql: `UPDATE user SET login = ?, access = ? WHERE ${isSame}`,
          args: [now(), now(), id, passwordHash],
        },
      ]);
      return inserted?.rowsAffected === 1;
    },
    async end(idHash) {
      await write([{ sql: 'DELETE FROM session WHERE id_hash = ?', args: [idHash] }]);
    },
  };
}
