import { join } from 'node:path';
import { loadSecret, newSecret, parseSecret, SECRET_FILE } from '../auth/secret.ts';
import {
  generatePem,
  loadSigningKey,
  parseSigningKey,
  SIGNING_KEY_FILE,
  type SigningKey,
} from '../auth/signing-key.ts';
import type { Database } from '../database/database.ts';
import { loadOrCreateStoredSecret } from '../database/stored-secret.ts';

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
