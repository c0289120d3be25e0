import { availableParallelism } from 'node:os';
import type { Static } from '@sinclair/typebox';
import { parseDuration } from '../base/duration.ts';
import { readEnv } from '../base/env.ts';
import { readYamlFile, type YamlFile } from '../base/yaml-file.ts';
import { parseBaseUrl } from '../http/base-url.ts';
import { parseTrustedProxies } from '../http/trusted-proxies.ts';
import { CommandError } from './command-error.ts';
import { createConfigReader } from './config-reader.ts';
import { readCors } from './read-cors.ts';
import { overrideDatabase, readDatabase } from './read-database.ts';
import { readDerivatives } from './read-derivatives.ts';
import { obsoleteAccess, readSchemes } from './read-schemes.ts';
import { readTls } from './read-tls.ts';
import { type DatabaseConfig, DEFAULT_SERVER_CONFIG, type ServerConfig } from './repository-config.ts';
import { RepositoryFileSchema } from './repository-config-schema.ts';

const MAX_TOKEN_EXPIRY_S = 366 * 86_400;
const MAX_UPLOAD_PERIOD_S = 86_400;

type FileValue = Static<typeof RepositoryFileSchema>;
/** What the command line and the environment say; it goes before what the file says. */
export type Overrides = {
  readonly [Key in Exclude<keyof ServerConfig, 'database'>]?: ServerConfig[Key] | undefined;
} & {
  readonly database?: Partial<DatabaseConfig>;
};

/**
 * The configuration of a server: the defaults, the file if there is one, and what goes before it. Throws
 * ConfigError with every problem of the file at once, and CommandError for what goes before it.
 */
export async function loadServerConfig(file: string | undefined, overrides: Overrides): Promise<ServerConfig> {
  if (overrides.baseUrl !== undefined) checkBaseUrl(overrides.baseUrl);
  const fromFile = file === undefined ? {} : parseServerConfig(await readYamlFile(file, readEnv));
  const { database = {}, ...rest } = overrides;
  const config = { ...DEFAULT_SERVER_CONFIG, ...fromFile, ...(withoutUnset(rest) as Partial<ServerConfig>) };
  if (config.redirectPort !== undefined && config.tls === undefined)
    throw new CommandError('A port that redirects to https needs a certificate: --tls-cert and --tls-key');
  return { ...config, database: overrideDatabase(config.database, database) };
}

function checkBaseUrl(baseUrl: string): void {
  try {
    parseBaseUrl(baseUrl);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CommandError(`REPO_BASE_URL or --base-url ${error.message}`);
  }
}

/** What a file sets. Throws ConfigError with all that is wrong with it. */
export function parseServerConfig(source: YamlFile): Partial<ServerConfig> {
  const reader = createConfigReader(source);
  const file = reader.map<FileValue>(RepositoryFileSchema, source.value ?? {}, []);
  file.trustedProxies?.forEach((entry, index) => {
    reader.parsed(['trustedProxies', `${index}`], entry, (text) => parseTrustedProxies([text]));
  });
  const config = {
    dataFolder: file.data,
    host: file.host,
    port: file.port,
    workers: file.workers === 'auto' ? availableParallelism() : file.workers,
    ...(file.tls && readTls(reader, file.tls)),
    database: file.database && readDatabase(reader, file.database),
    baseUrl: file.baseUrl === undefined ? undefined : reader.parsed(['baseUrl'], file.baseUrl, parseBaseUrl),
    trustedProxies: file.trustedProxies,
    cors: file.cors && readCors(reader, file.cors),
    siteName: file.siteName,
    modelFile: file.model,
    schemes: file.schemes && readSchemes(reader, file.schemes),
    obsoleteSettings: file.schemes && obsoleteAccess(file.schemes),
    maxJsonBytes: file.maxJsonBytes,
    maxUploadBytes: file.maxUploadBytes,
    minUploadRate: file.minUploadRate,
    minUploadPeriodSeconds: readTime('minUploadPeriod', 'from 1 s to 1d', MAX_UPLOAD_PERIOD_S),
    tokenExpirySeconds: readTime('tokenExpiry', 'from 1 s to 366d', MAX_TOKEN_EXPIRY_S),
    derivatives: file.derivatives && readDerivatives(reader, file.derivatives),
    processorFile: file.processor,
    processorPort: file.processorPort,
  };
  reader.finish();
  return withoutUnset(config);

  function readTime(key: 'minUploadPeriod' | 'tokenExpiry', range: string, maxSeconds: number): number | undefined {
    if (file[key] === undefined) return undefined;
    const text = String(file[key]);
    const seconds = parseDuration(text);
    if (seconds !== undefined && seconds <= maxSeconds) return seconds;
    const allowed = `a time such as 30m, 2h or 7d, or a number of seconds, ${range}`;
    reader.report([key], `${key} must be ${allowed}, found "${text}"`);
    return undefined;
  }
}

function withoutUnset<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
