import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { loadSecret, newSecret, parseSecret, SECRET_FILE } from '../auth/secret.ts';
import {
  generatePem,
  loadSigningKey,
  parseSigningKey,
  SIGNING_KEY_FILE,
  type SigningKey,
} from '../auth/signing-key.ts';
import type { Database } from '../database/database.ts';
import { query } from '../database/query-builder.ts';
import { secrets } from '../database/schema/system.ts';
import { type Named, prepare } from '../database/statement.ts';

export const KEYS_FOLDER = 'keys';

/** The key that signs tokens, and the secret that authenticates cookies and other values. */
export interface Keys {
  readonly signingKey: SigningKey;
  readonly secret: Buffer;
}

/**
 * Loads the keys of a repository, and creates missing ones: as files of its data folder or, for a database that servers
 * share, as its rows, so that each server accepts the tokens of the others. Throws ConfigError for unusable keys.
 */
export async function loadKeys(database: Database, dataFolder: string): Promise<Keys> {
  const folder = join(dataFolder, KEYS_FOLDER);
  if (!database.isShared) {
    const [signingKey, secret] = await Promise.all([loadSigningKey(folder), loadSecret(folder)]);
    return { signingKey, secret };
  }
  const stored = (name: string, create: () => Promise<string>) => loadOrCreateStoredSecret(database, name, create);
  const [pem, secret] = await Promise.all([
    stored(SIGNING_KEY_FILE, generatePem),
    stored(SECRET_FILE, async () => newSecret()),
  ]);
  return {
    signingKey: await parseSigningKey(pem, `${SIGNING_KEY_FILE} in the database`),
    secret: parseSecret(secret, `${SECRET_FILE} in the database`),
  };
}

/**
 * Returns the secret that all servers of a shared database have in common. The first server creates it; servers that
 * start at the same time get the same secret.
 */
async function loadOrCreateStoredSecret(
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
