import { createConfigReader, sourceOf } from '../base/config-reader.ts';
import { readEnv } from '../base/env.ts';
import { CommandError } from '../base/errors.ts';
import { readYamlFile, type YamlFile } from '../base/yaml-file.ts';
import type { Overrides } from './overrides.ts';
import { readSettings } from './read-settings.ts';
import { createServerConfig, type ServerConfig } from './server-config.ts';
import type { Setting } from './setting.ts';
import { noteOrigins } from './setting-origins.ts';
import { SETTINGS } from './settings.ts';

/** Returns the configuration of a server with a file, if there is one. Throws like `configFrom`. */
export async function loadServerConfig(file: string | undefined, overrides: Overrides): Promise<ServerConfig> {
  return configFrom(file === undefined ? undefined : await readYamlFile(file, readEnv), overrides);
}

/**
 * Returns the configuration of a file, over which overrides take precedence. Throws ConfigError with all problems of
 * the file, and CommandError for an invalid override.
 */
export function configFrom(source: YamlFile | undefined, overrides: Overrides = new Map()): ServerConfig {
  const overriding = [...overrides].map(([setting, entry]) => [setting, parseOverride(setting, entry)] as const);
  const { values, warnings } = source === undefined ? { values: [], warnings: [] } : readFileSettings(source);
  const all = new Map([...values, ...overriding]);
  const config = createServerConfig(all, warnings);
  noteOrigins(config, all, overrides);
  requireConsistent(config);
  return config;
}

function readFileSettings(source: YamlFile) {
  const reader = createConfigReader(sourceOf(source));
  const whole = { entry: source.value ?? {}, path: [], description: 'a map of configuration keys' };
  const values = readSettings(reader, SETTINGS, whole);
  reader.finish();
  return { values, warnings: reader.warnings };
}

function parseOverride(setting: Setting, entry: unknown): unknown {
  try {
    return setting.parse ? setting.parse(entry) : entry;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const [flag] = setting.flag?.name.split(' ') ?? [];
    const names = [setting.variable, flag].filter((name) => name !== undefined).join(' or ');
    throw new CommandError(`${names} ${error.message}`);
  }
}

function requireConsistent({ tls, redirectPort, database, mail, baseUrl }: ServerConfig): void {
  if (redirectPort !== undefined && tls === undefined)
    throw new CommandError('A port that redirects to https needs a certificate: --tls-cert and --tls-key');
  if (mail.server !== undefined && mail.from === undefined)
    throw new CommandError('mail.server needs mail.from, the sender of mails such as repository@example.org');
  // The Host of a request must not decide where a link in a mail leads.
  if (mail.server !== undefined && baseUrl === undefined)
    throw new CommandError('mail.server needs baseUrl, with which the links in mails begin');
  const { url, syncUrl } = database;
  if (syncUrl === undefined || url === undefined || url.startsWith('file:')) return;
  const [name, syncName] = [SETTINGS.database.url.variable, SETTINGS.database.syncUrl.variable];
  throw new CommandError(
    `A replica of ${syncName} is a file: ${name} must be file:… or be left out, not the address of a server.`,
  );
}
