import { eq } from 'drizzle-orm';
import type { Database } from './database.ts';
import { query } from './query-builder.ts';
import { secrets } from './schema/system.ts';
import { type Named, prepare } from './statement.ts';

/**
 * Returns the secret that all servers of a shared database have in common. The first server creates it; servers that
 * start at the same time get the same secret.
 */
export async function loadOrCreateStoredSecret(
  database: Database,
  name: string,
  create: () => Promise<string>,
): Promise<string> {
  const secret = await find(database, name);
  if (secret !== undefined) return secret;
  const text = await create();
  await database.write({ added: addSecret({ name, value: text }) });
  const stored = await find(database, name);
  if (stored === undefined) throw new Error(`the secret ${name} was deleted right after its creation`);
  return stored;
}

const addSecret = prepare(({ name, value }: Named<{ name: string; value: string }>) =>
  query.insert(secrets).values({ name, value }).onConflictDoNothing(),
);
const findSecret = prepare(({ name }: Named<{ name: string }>) =>
  query.select({ value: secrets.value }).from(secrets).where(eq(secrets.name, name)),
);

async function find(database: Database, name: string): Promise<string | undefined> {
  return (await database.get(findSecret({ name })))?.value;
}
