import type { Static } from '@sinclair/typebox';
import { CommandError } from './command-error.ts';
import type { ConfigReader } from './config-reader.ts';
import type { DatabaseConfig } from './repository-config.ts';
import { DatabaseSchema } from './repository-config-schema.ts';

const VARIABLES = { url: 'REPO_DATABASE_URL', syncUrl: 'REPO_DATABASE_SYNC_URL' } as const;

/** What a file says of the database. */
export function readDatabase(reader: ConfigReader, value: Record<string, unknown>): DatabaseConfig {
  const path = ['database'];
  const { url, authToken, syncUrl } = reader.map<Static<typeof DatabaseSchema>>(DatabaseSchema, value, path);
  const parsed = (name: 'url' | 'syncUrl', text: string | undefined, parse: (text: string) => string) =>
    text === undefined ? undefined : reader.parsed([...path, name], text, parse);
  return {
    url: parsed('url', url, parseDatabaseUrl),
    authToken,
    syncUrl: parsed('syncUrl', syncUrl, parseServerUrl),
  };
}

/**
 * The database, each part from the environment if that says anything of it. Throws CommandError for a variable that
 * cannot be one, and for two parts that do not go together.
 */
export function overrideDatabase(config: DatabaseConfig, environment: Partial<DatabaseConfig>): DatabaseConfig {
  const { url, authToken, syncUrl } = environment;
  const merged = {
    url: url === undefined ? config.url : fromVariable(VARIABLES.url, url, parseDatabaseUrl),
    authToken: authToken ?? config.authToken,
    syncUrl: syncUrl === undefined ? config.syncUrl : fromVariable(VARIABLES.syncUrl, syncUrl, parseServerUrl),
  };
  if (merged.syncUrl !== undefined && merged.url !== undefined && !merged.url.startsWith('file:'))
    throw new CommandError(
      `A replica of ${VARIABLES.syncUrl} is a file: ${VARIABLES.url} must be file:… or be left out, not the address of a server.`,
    );
  return merged;
}

function fromVariable(name: string, text: string, parse: (text: string) => string): string {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CommandError(`${name} ${error.message}`);
  }
}

/** Throws RangeError for what is neither a file nor a libSQL server. */
function parseDatabaseUrl(text: string): string {
  // Two slashes would begin a host, and an escaped one is no part of a name.
  if (/^file:(?!\/\/(?!\/))./.test(text) && !/[?#]|%2f/i.test(text)) return text;
  return parseServer(text, 'file:data/repository.db, libsql://db.example.org or https://db.example.org');
}

function parseServerUrl(text: string): string {
  return parseServer(text, 'libsql://db.example.org or https://db.example.org');
}

/** A token in the address would be shown wherever the address is. */
function parseServer(text: string, examples: string): string {
  const url = URL.parse(text);
  const isServer = url !== null && /^(libsql|https?):$/.test(url.protocol) && url.host !== '';
  const isPlain = isServer && url.username === '' && url.password === '' && /^(\?tls=[01])?$/.test(url.search);
  if (isPlain && !text.includes('#')) return text;
  const found = /[@?]/.test(text) ? '' : `, found "${text}"`;
  throw new RangeError(`must be an address such as ${examples}${found}; a token goes into REPO_DATABASE_AUTH_TOKEN`);
}
