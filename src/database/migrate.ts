import type { Client } from '@libsql/client';
import { getTableName } from 'drizzle-orm';
import { DamagedDatabaseError } from './damage.ts';
import { failedUniqueness } from './errors.ts';
import { type Migration, migrations } from './migrations.ts';
import { query } from './query-builder.ts';
import { appliedMigrations, findTable } from './sqlite-tables.ts';
import { type Named, prepare, resultOf } from './statement.ts';

const LEDGER = 'CREATE TABLE IF NOT EXISTS migration (name TEXT PRIMARY KEY NOT NULL, applied INTEGER NOT NULL)';

/** A database that this executable must not write to: a newer one has changed it. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
}

/** The format of migration names in every version. */
const MIGRATION_NAME = /^\d{4}_[a-z0-9_]+$/;

/**
 * Returns the names of the migrations that a database still needs. Throws NewerDatabaseError for a database of a newer
 * version, and DamagedDatabaseError if no version can have written its list of applied migrations.
 */
export async function pendingMigrations(client: Client): Promise<string[]> {
  const applied = await namesOfApplied(client);
  if (applied === undefined) return migrations.map(({ name }) => name);
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = applied.filter((name) => !known.has(name));
  if (applied.length === 0 || !unknown.every((name) => MIGRATION_NAME.test(name)))
    throw new DamagedDatabaseError('its table "migration" holds no valid list of migrations');
  if (unknown.length > 0) {
    throw new NewerDatabaseError(
      `The database was changed by a newer version of repo (${unknown.join(', ')}): start that version, or restore a backup.`,
    );
  }
  const missing = migrations.map(({ name }) => name).filter((name) => !applied.includes(name));
  // They are applied in order.
  if (missing.some((name) => name < (applied.at(-1) as string)))
    throw new DamagedDatabaseError(`its table "migration" lacks ${missing[0]}`);
  return missing;
}

/**
 * Brings a database up to date, each migration whole or not at all, and an empty one by all of them at once: whoever
 * looks at it meanwhile finds nothing or everything. Answers the names of those it applied. `now` is in seconds since
 * 1970. Of processes that do this at the same time, each migration is made by one.
 */
export async function migrate(client: Client, now: number): Promise<string[]> {
  const pending = new Set(await pendingMigrations(client));
  const needed = migrations.filter(({ name }) => pending.has(name));
  const steps = needed.length === migrations.length ? [needed] : needed.map((migration) => [migration]);
  const made: string[] = [];
  for (const step of steps) if (await apply(client, step, now)) made.push(...step.map(({ name }) => name));
  return made;
}

/** Answers false if another process was faster. */
async function apply(client: Client, step: readonly Migration[], now: number): Promise<boolean> {
  // The records come first: the second of two processes fails before it changes anything.
  const records = step.map(({ name }) => recordMigration({ name, now }));
  try {
    await client.batch([LEDGER, ...records, ...step.flatMap(({ statements }) => statements)], 'write');
    return true;
  } catch (error) {
    if (failedUniqueness(error) !== 'migration.name') throw error;
    return false;
  }
}

/** Undefined for a database without the table. */
async function namesOfApplied(client: Client): Promise<string[] | undefined> {
  const ledger = await client.execute(findTable({ name: getTableName(appliedMigrations) }));
  if (ledger.rows.length === 0) return undefined;
  const applied = listApplied();
  return resultOf(applied, await client.execute(applied)).map(({ name }) => name);
}

const listApplied = prepare(() =>
  query.select({ name: appliedMigrations.name }).from(appliedMigrations).orderBy(appliedMigrations.name),
);
const recordMigration = prepare(({ name, now }: Named<{ name: string; now: number }>) =>
  query.insert(appliedMigrations).values({ name, applied: now }),
);
