import { and, eq, lt, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { sessions, users } from '../../database/schema/users.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { Account } from './find-account.ts';

/** The store of sessions, by the digest of their cookie. Times are seconds since 1970. */
export interface Sessions {
  /**
   * Begins a session of a user whose password matched `passwordHash`. Returns false, without a session, if the user was
   * blocked or the password changed since.
   */
  begin(idHash: string, user: Pick<Account, 'id' | 'passwordHash'>, expires: number): Promise<boolean>;
  end(idHash: string): Promise<void>;
}

const removeExpired = prepare(({ now }: Named<{ now: number }>) =>
  query.delete(sessions).where(lt(sessions.expires, now)),
);
const removeSession = prepare(({ idHash }: Named<{ idHash: string }>) =>
  query.delete(sessions).where(eq(sessions.idHash, idHash)),
);

type Caller = { readonly id: number; readonly passwordHash: string | null };

/** Returns the condition that a user is not blocked and still has the password. */
const isUnchanged = ({ id, passwordHash }: Named<Caller>) =>
  and(eq(users.id, id), eq(users.status, true), sql`${users.passwordHash} IS ${passwordHash}`);

const addSession = prepare((values: Named<Caller & { idHash: string; now: number; expires: number }>) =>
  query.insert(sessions).select(
    query
      .select({
        idHash: sql<string>`${values.idHash}`.as(sessions.idHash.name),
        userId: users.id,
        created: sql<number>`${values.now}`.as(sessions.created.name),
        expires: sql<number>`${values.expires}`.as(sessions.expires.name),
      })
      .from(users)
      .where(isUnchanged(values)),
  ),
);
const recordLogin = prepare((values: Named<Caller & { now: number }>) =>
  query.update(users).set({ login: values.now, access: values.now }).where(isUnchanged(values)),
);

/** Creates the store of sessions, which all processes of an installation share. */
export function createSessions({ write }: Database, now: () => number): Sessions {
  return {
    async begin(idHash, { id, passwordHash = null }, expires) {
      const { added } = await write({
        expired: removeExpired({ now: now() }),
        added: addSession({ id, passwordHash, idHash, now: now(), expires }),
        login: recordLogin({ id, passwordHash, now: now() }),
      });
      return added.changes === 1;
    },
    async end(idHash) {
      await write({ removed: removeSession({ idHash }) });
    },
  };
}
