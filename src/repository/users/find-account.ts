import type { Row } from '@libsql/client';
import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { prepareFindOne } from '../../database/find-one.ts';
import { type Dated, GENERATION_COLUMN, GenerationMemory } from '../../database/generation-memory.ts';
import { sessions, users } from '../../database/schema/users.ts';
import { usualName } from './find-user.ts';

/** What signing in depends on: little of a user, for it is read with every request that says who it is from. */
export interface Account {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  /** Whether they may come in. */
  readonly status: boolean;
  readonly passwordHash: string | undefined;
  readonly roles: readonly string[];
  /** The time when password, status or roles last changed, in milliseconds; 0 for never. */
  readonly credentialsChanged: number;
}

export interface FindAccount {
  byId(id: number): Promise<Account | undefined>;
  /** Upper and lower case of the letters A to Z are the same. */
  byName(name: string): Promise<Account | undefined>;
  /** The same, if it is remembered: then the database need not be asked. */
  rememberedByName(name: string): Account | undefined;
  /** Whose session it is, by the digest of its cookie's value; undefined for one that has expired. `now` is in seconds. */
  bySession(idHash: string, now: number): Promise<Account | undefined>;
}

const MAX_REMEMBERED = 10_000;

/** Prepares the reading of accounts once. They are remembered as long as no account changes. */
export function createFindAccount(database: Database): FindAccount {
  const { id, uuid, name, status, passwordHash, roles, credentialsChanged } = users;
  const generation = sql.raw(GENERATION_COLUMN);
  const columns = { id, uuid, name, status, passwordHash, roles, credentialsChanged, generation };
  const byId = prepareFindOne(database, columns, users, eq(id, sql.placeholder('id')), toAccount);
  const isNamed = sql`${name} = ${sql.placeholder('name')} COLLATE NOCASE`;
  const byName = prepareFindOne(database, columns, users, isNamed, toAccount);
  const isTheirs = sql`${id} = (SELECT ${sessions.userId} FROM ${sessions}
    WHERE ${sessions.idHash} = ${sql.placeholder('idHash')} AND ${sessions.expires} > ${sql.placeholder('now')})`;
  const bySession = prepareFindOne(database, columns, users, isTheirs, toAccount);
  const knownById = new GenerationMemory<number, Account>(database, MAX_REMEMBERED);
  const knownByName = new GenerationMemory<string, Account>(database, MAX_REMEMBERED);
  return {
    byId: async (wanted) => (await knownById.getDated(wanted, byId))?.value,
    byName: async (wanted) => (await knownByName.getDated(usualName(wanted), byName))?.value,
    rememberedByName: (wanted) => knownByName.current().get(usualName(wanted)),
    bySession: async (idHash, now) => (await bySession(idHash, now))?.value,
  };
}

function toAccount(columns: Row): Dated<Account> {
  const value = {
    id: columns[0] as number,
    uuid: columns[1] as string,
    name: columns[2] as string,
    status: columns[3] === 1,
    passwordHash: (columns[4] as string | null) ?? undefined,
    roles: JSON.parse(columns[5] as string) as string[],
    credentialsChanged: columns[6] as number,
  };
  return { value, generation: columns[7] as number };
}
