import { and, eq, type SQL, sql } from 'drizzle-orm';
import { DEFAULT_SESSION_LIMITS, type SessionLimits } from '../../auth/session-limits.ts';
import { Cache } from '../../base/cache.ts';
import type { Database } from '../../database/database.ts';
import { type Dated, GENERATION, readDated } from '../../database/dated.ts';
import { query } from '../../database/query-builder.ts';
import { sessions, users } from '../../database/schema/users.ts';
import { type Named, prepare, type Statement } from '../../database/statement.ts';
import { type ActiveAt, activeAt, isActive } from './active-session.ts';
import { normalizeName } from './find-user.ts';

/** The part of a user that authentication needs. It is read with every authenticated request. */
export interface Account {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  /** False for a blocked user. */
  readonly status: boolean;
  readonly passwordHash: string | undefined;
  readonly roles: readonly string[];
  /** The time of the last change of password, status or roles, in milliseconds; 0 for never. */
  readonly credentialsChanged: number;
}

/** The user of a session, and the time of its last use in seconds since 1970. */
interface SessionUser {
  readonly user: Account;
  readonly used: number;
}

export interface FindAccount {
  byId(id: number): Promise<Account | undefined>;
  /** Ignores the case of the letters A to Z. */
  byName(name: string): Promise<Account | undefined>;
  /** Returns a cached account, without a query. */
  cachedByName(name: string): Account | undefined;
  /** Finds the user of a session by the digest of its cookie; undefined for one that has ended. `now` is in seconds. */
  bySession(idHash: string, now: number): Promise<SessionUser | undefined>;
}

const MAX_BYTES = 4 * 1024 * 1024;
/** Estimated bytes of an account: a UUID, a hash, a name, a few roles. */
const ACCOUNT_BYTES = 400;

const { id, uuid, name, status, passwordHash, roles, credentialsChanged } = users;
const ACCOUNT = { id, uuid, name, status, passwordHash, roles, credentialsChanged, generation: GENERATION };
const accountsWith = (condition: SQL) => query.select(ACCOUNT).from(users).where(condition);
type AccountRow = Awaited<ReturnType<typeof accountsWith>>[number];

const accountById = prepare((wanted: Named<{ id: number }>) => accountsWith(eq(id, wanted.id)));
const accountByName = prepare((wanted: Named<{ name: string }>) =>
  accountsWith(sql`${name} = ${wanted.name} COLLATE NOCASE`),
);
const accountBySession = prepare((values: Named<{ idHash: string } & ActiveAt>) =>
  query
    .select({ ...ACCOUNT, used: sessions.used })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.idHash, values.idHash), isActive(values))),
);

/** Creates the lookup of accounts. They are cached until an account, setting or term changes. */
export function createFindAccount(database: Database, limits: SessionLimits = DEFAULT_SESSION_LIMITS): FindAccount {
  const options = { maxBytes: MAX_BYTES, bytesOf: () => ACCOUNT_BYTES, state: database.knownGeneration };
  const knownById = new Cache<Account, number>(options);
  const knownByName = new Cache<Account>(options);
  const find = async (statement: Statement<AccountRow[]>) => {
    const row = await database.get(statement);
    return row && toAccount(row);
  };
  const byId = (wanted: number) => find(accountById({ id: wanted }));
  const byName = (wanted: string) => find(accountByName({ name: wanted }));
  return {
    byId: async (wanted) => (await readDated(knownById, wanted, () => byId(wanted)))?.value,
    async byName(wanted) {
      const usual = normalizeName(wanted);
      return (await readDated(knownByName, usual, () => byName(usual)))?.value;
    },
    cachedByName: (wanted) => knownByName.get(normalizeName(wanted)),
    async bySession(idHash, now) {
      const row = await database.get(accountBySession({ idHash, ...activeAt(now, limits) }));
      if (row === undefined) return undefined;
      const { used, ...account } = row;
      return { user: toAccount(account).value, used };
    },
  };
}

function toAccount({ generation, passwordHash: hash, roles: names, ...account }: AccountRow): Dated<Account> {
  const value = { ...account, passwordHash: hash ?? undefined, roles: JSON.parse(names) as string[] };
  return { value, generation };
}
