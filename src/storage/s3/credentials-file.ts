import { readFile } from 'node:fs/promises';
import { storageFailed } from '../errors.ts';
import type { S3Credentials } from './config.ts';

/**
 * Returns the keys of a profile in a file like `~/.aws/credentials`. Throws `storage-failed`, whose cause names the file
 * and the missing key, never a value.
 */
export async function readCredentialsFile(file: string, profile: string): Promise<S3Credentials> {
  const fail = (what: string, cause?: unknown) =>
    storageFailed('The file store cannot be used.', new Error(`S3: the credentials file ${file} ${what}`, { cause }));
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw fail(`cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`, error);
  }
  const found = parseProfiles(text).get(profile);
  if (found === undefined) throw fail(`has no profile [${profile}]`);
  const accessKeyId = found.get('aws_access_key_id');
  const secretAccessKey = found.get('aws_secret_access_key');
  if (!accessKeyId) throw fail(`has no aws_access_key_id in its profile [${profile}]`);
  if (!secretAccessKey) throw fail(`has no aws_secret_access_key in its profile [${profile}]`);
  return { accessKeyId, secretAccessKey, sessionToken: found.get('aws_session_token') || undefined };
}

/** Parses profiles: `[name]` or `[profile name]` begins one, `name = value` belongs to it, `#` and `;` begin comments. */
export function parseProfiles(text: string): Map<string, Map<string, string>> {
  const profiles = new Map<string, Map<string, string>>();
  let current: Map<string, string> | undefined;
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    if (/^\s*[#;]/.test(line)) continue;
    const name = /^\s*\[\s*(?:profile\s+)?(.+?)\s*\]/.exec(line)?.[1];
    if (name !== undefined) {
      current = profiles.get(name) ?? new Map();
      profiles.set(name, current);
      continue;
    }
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) current?.set(key.toLowerCase(), value);
  }
  return profiles;
}
