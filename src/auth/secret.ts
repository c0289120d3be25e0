import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ConfigError } from '../base/yaml-file.ts';
import { loadOrCreatePrivateFile } from './private-file.ts';

export const SECRET_FILE = 'secret.key';
const SECRET_BYTES = 32;

/**
 * Returns the 32 secret bytes of this installation from `secret.key` in a folder (base64url). Creates a missing file. Throws
 * ConfigError for a file that others may read, or with invalid content.
 */
export async function loadSecret(folder: string): Promise<Buffer> {
  const file = join(folder, SECRET_FILE);
  return parseSecret(await loadOrCreatePrivateFile(file, async () => newSecret()), file);
}

/** Returns new secret bytes as the text of the file. */
export function newSecret(): string {
  return `${randomBytes(SECRET_BYTES).toString('base64url')}\n`;
}

/** Parses the secret bytes. Throws ConfigError with the name of the file for other text. */
export function parseSecret(text: string, file: string): Buffer {
  const secret = Buffer.from(text.trim(), 'base64url');
  if (secret.length !== SECRET_BYTES || secret.toString('base64url') !== text.trim()) {
    const message = `this must be ${SECRET_BYTES} random bytes in base64url (43 characters); delete the file to generate a new one`;
    throw new ConfigError(file, [{ line: 1, message }]);
  }
  return secret;
}
