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

/** What tokens are signed with, and what everything else that must not be forged is. */
export interface Keys {
  readonly signingKey: SigningKey;
  readonly secret: Buffer;
}

/**
 * The keys of a repository, made if there are none: files of its data folder, or, where many servers share a database,
 * rows of that, so that each honours what the others have issued. Throws ConfigError for keys that cannot be used.
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
