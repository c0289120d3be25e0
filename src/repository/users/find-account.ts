import type { Row } from '@libsql/client';
import { eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { prepareFindOne } from '../../database/find-one.ts';
import { GenerationMemory } from '../../database/generation-memory.ts';
import { users } from '../../database/schema/users.ts';
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
}

export interface FindAccount {
  byId(id: number): Promise<Account | undefined>;
  /** Upper and lower case of the letters A to Z are the same. */
  byName(name: string): Promise<Account | undefined>;
}

const MAX_REMEMBERED = 10_000;

/** Prepares the reading of accounts once. They are remembered as long as no account changes. */
export function createFindAccount(database: Database): FindAccount {
  const { id, uuid, name, status, passwordHash, roles } = users;
  const columns = { id, uuid, name, status, passwordHash, roles };
  const byId = prepareFindOne(database, columns, users, eq(id, sql.placeholder('id')), toAccount);
  const isNamed = sql`${name} = ${sql.placeholder('name')} COLLATE NOCASE`;
  const byName = prepareFindOne(database, columns, users, isNamed, toAccount);
  const knownById = new GenerationMemory<number, Account>(database, MAX_REMEMBERED);
  const knownByName = new GenerationMemory<string, Account>(database, MAX_REMEMBERED);
  return {
    byId: (wanted) => knownById.get(wanted, byId),
    byName: (wanted) => knownByName.get(usualName(wanted), byName),
  };
}

function toAccount(columns: Row): Account {
  return {
    id: columns[0] as number,
    uuid: columns[1] as string,
    name: columns[2] as string,
    status: columns[3] === 1,
    passwordHash: (columns[4] as string | null) ?? undefined,
    roles: JSON.parse(columns[5] as string) as string[],
  };
}
