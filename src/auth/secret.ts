import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ConfigError } from '../base/yaml-file.ts';
import { loadOrCreatePrivateFile } from './private-file.ts';

export const SECRET_FILE = 'secret.key';
const SECRET_BYTES = 32;

/**
 * The 32 secret bytes of this installation from `secret.key` in a folder (base64url); new ones if there is no such
 * file. Throws ConfigError for a file that others may read or that holds anything else.
 */
export async function loadSecret(folder: string): Promise<Buffer> {
  const file = join(folder, SECRET_FILE);
  return parseSecret(await loadOrCreatePrivateFile(file, async () => newSecret()), file);
}

/** New secret bytes as the text that they are kept as. */
export function newSecret(): string {
  return `${randomBytes(SECRET_BYTES).toString('base64url')}\n`;
}

/** The secret bytes of a text; `file` is named in the ConfigError for one that holds anything else. */
export function parseSecret(text: string, file: string): Buffer {
  const secret = Buffer.from(text.trim(), 'base64url');
  if (secret.length !== SECRET_BYTES || secret.toString('base64url') !== text.trim()) {
    const message = `this must be ${SECRET_BYTES} random bytes in base64url (43 characters); remove the file to have a new one made`;
    throw new ConfigError(file, [{ line: 1, message }]);
  }
  return secret;
}
