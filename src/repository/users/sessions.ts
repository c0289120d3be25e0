import { and, desc, eq, lt, lte, ne, sql } from 'drizzle-orm';
import { DEFAULT_SESSION_LIMITS, dueSince, type SessionLimits } from '../../auth/session-limits.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { sessions, users } from '../../database/schema/users.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { type ActiveAt, activeAt, isActive } from './active-session.ts';
import type { Account } from './find-account.ts';

/** The sign-in that began a session, by which its user recognizes it. */
interface SessionOrigin {
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
}

/** A session as its user sees it. */
interface ListedSession {
  /** The digest of its cookie, which gives no access to it. */
  readonly idHash: string;
  readonly created: number;
  readonly expires: number;
  /** The time of its last use, give or take a sixtieth of the idle limit. */
  readonly used: number;
  readonly address: string | null;
  readonly userAgent: string | null;
}

/** The store of sessions, by the digest of their cookie. Times are seconds since 1970. */
export interface Sessions {
  readonly limits: SessionLimits;
  /**
   * Begins a session of a user whose password matched `passwordHash`. Returns false, without a session, if the user was
   * blocked or the password changed since.
   */
  begin(
    idHash: string,
    user: Pick<Account, 'id' | 'passwordHash'>,
    expires: number,
    origin?: SessionOrigin,
  ): Promise<boolean>;
  /** Returns true if the last use of a session has to be written. False while that is being done. */
  isDue(idHash: string, used: number): boolean;
  /** Writes that a session is in use. */
  use(idHash: string): Promise<void>;
  end(idHash: string): Promise<void>;
  /** Returns the sessions of a user that have not ended, the newest first, at most `MAX_LISTED`. */
  list(userId: number): Promise<ListedSession[]>;
  /** Ends a session of a user. Returns false if the user has none with this digest. */
  endOf(userId: number, idHash: string): Promise<boolean>;
  /** Ends all sessions of a user, or all but one. Returns their number. */
  endAll(userId: number, except?: string): Promise<number>;
}

/** The maximum number of sessions in a list. */
const MAX_LISTED = 200;
const MAX_USER_AGENT_CHARS = 400;

const removeExpired = prepare(({ now }: Named<{ now: number }>) =>
  query.delete(sessions).where(lt(sessions.expires, now)),
);
const removeSession = prepare(({ idHash }: Named<{ idHash: string }>) =>
  query.delete(sessions).where(eq(sessions.idHash, idHash)),
);
const removeSessionOf = prepare(({ idHash, userId }: Named<{ idHash: string; userId: number }>) =>
  query.delete(sessions).where(and(eq(sessions.idHash, idHash), eq(sessions.userId, userId))),
);
const removeOthers = prepare(({ userId, except }: Named<{ userId: number; except: string }>) =>
  query.delete(sessions).where(and(eq(sessions.userId, userId), ne(sessions.idHash, except))),
);
const useSession = prepare(({ idHash, now, due }: Named<{ idHash: string; now: number; due: number }>) =>
  query
    .update(sessions)
    .set({ used: now })
    .where(and(eq(sessions.idHash, idHash), lte(sessions.used, due))),
);
const sessionsOf = prepare((values: Named<{ userId: number } & ActiveAt>) => {
  const { idHash, created, expires, used, address, userAgent } = sessions;
  return query
    .select({ idHash, created, expires, used, address, userAgent })
    .from(sessions)
    .where(and(eq(sessions.userId, values.userId), isActive(values)))
    .orderBy(desc(created), idHash)
    .limit(MAX_LISTED);
});

type Caller = { readonly id: number; readonly passwordHash: string | null };
type NewSession = { idHash: string; now: number; expires: number; address: string | null; userAgent: string | null };

/** Returns the condition that a user is not blocked and still has the password. */
const isUnchanged = ({ id, passwordHash }: Named<Caller>) =>
  and(eq(users.id, id), eq(users.status, true), sql`${users.passwordHash} IS ${passwordHash}`);

const addSession = prepare((values: Named<Caller & NewSession>) =>
  query.insert(sessions).select(
    query
      .select({
        idHash: sql<string>`${values.idHash}`.as(sessions.idHash.name),
        userId: users.id,
        created: sql<number>`${values.now}`.as(sessions.created.name),
        expires: sql<number>`${values.expires}`.as(sessions.expires.name),
        used: sql<number>`${values.now}`.as(sessions.used.name),
        address: sql<string | null>`${values.address}`.as(sessions.address.name),
        userAgent: sql<string | null>`${values.userAgent}`.as(sessions.userAgent.name),
      })
      .from(users)
      .where(isUnchanged(values)),
  ),
);
const recordLogin = prepare((values: Named<Caller & { now: number }>) =>
  query.update(users).set({ login: values.now, access: values.now }).where(isUnchanged(values)),
);

/** A session that a batch begins. */
export interface BegunSession extends SessionOrigin {
  readonly idHash: string;
  readonly expires: number;
}

/** Returns the statements that begin a session of a user who is not blocked and has this password. */
export function beginSession({ id, passwordHash }: Caller, session: BegunSession, now: number) {
  const { idHash, expires, address = null, userAgent } = session;
  const agent = userAgent?.slice(0, MAX_USER_AGENT_CHARS) ?? null;
  return {
    added: addSession({ id, passwordHash, idHash, now, expires, address, userAgent: agent }),
    login: recordLogin({ id, passwordHash, now }),
  };
}

/** Creates the store of sessions, which all processes of an installation share. */
export function createSessions(
  { write, all }: Database,
  now: () => number,
  limits: SessionLimits = DEFAULT_SESSION_LIMITS,
): Sessions {
  const using = new Set<string>();
  return {
    limits,
    async begin(idHash, { id, passwordHash = null }, expires, origin = {}) {
      const { added } = await write({
        expired: removeExpired({ now: now() }),
        ...beginSession({ id, passwordHash }, { ...origin, idHash, expires }, now()),
      });
      return added.changes === 1;
    },
    isDue: (idHash, used) => used <= dueSince(now(), limits) && !using.has(idHash),
    async use(idHash) {
      using.add(idHash);
      try {
        await write({ used: useSession({ idHash, now: now(), due: dueSince(now(), limits) }) });
      } finally {
        using.delete(idHash);
      }
    },
    async end(idHash) {
      await write({ removed: removeSession({ idHash }) });
    },
    async list(userId) {
      const listed = await all(sessionsOf({ userId, ...activeAt(now(), limits) }));
      // A lower limit applies to sessions that have begun.
      return listed.map((session) => ({
        ...session,
        expires: Math.min(session.expires, session.created + limits.absoluteSeconds),
      }));
    },
    async endOf(userId, idHash) {
      const { removed } = await write({ removed: removeSessionOf({ userId, idHash }) });
      return removed.changes === 1;
    },
    async endAll(userId, except = '') {
      const { removed } = await write({ removed: removeOthers({ userId, except }) });
      return removed.changes;
    },
  };
}
