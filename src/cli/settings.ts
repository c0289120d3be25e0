import { type Command, InvalidArgumentError, Option } from 'commander';
import { readEnv } from '../base/env.ts';
import type { Overrides } from '../modes/load-repository-config.ts';
import type { ProcessorConfigSource } from '../modes/processor-config.ts';
import type { TlsFiles } from '../modes/tls/certificate.ts';
import { parsePort, parseWorkers } from './parse-value.ts';

/** Where a repository is and how it is configured: what every command about one takes. */
export interface SettingFlags {
  config?: string;
  data?: string;
  model?: string;
}

/** What a server takes beyond that. */
export interface ServerFlags extends SettingFlags {
  host?: string;
  port?: number;
  baseUrl?: string;
  processorPort?: number;
  workers?: number;
  tlsCert?: string;
  tlsKey?: string;
  redirectPort?: number;
}

/** The options behind `SettingFlags`, for a command's help in this order. */
export function settingOptions(): Option[] {
  return [
    new Option('--data <folder>', 'the data folder (default: REPO_DATA, else ./data)'),
    new Option('--config <file>', 'the configuration file'),
    new Option('--model <file>', 'your own content model, laid over the default one'),
  ];
}

/** What flags and environment say about a server; a flag goes before its variable. */
export function overridesFrom(flags: ServerFlags, command: Command): Overrides {
  return {
    dataFolder: flags.data ?? readEnv('REPO_DATA'),
    modelFile: flags.model,
    host: flags.host,
    port: flags.port ?? portFromEnvironment('REPO_PORT', command),
    baseUrl: flags.baseUrl ?? readEnv('REPO_BASE_URL'),
    database: {
      url: readEnv('REPO_DATABASE_URL'),
      authToken: readEnv('REPO_DATABASE_AUTH_TOKEN'),
      syncUrl: readEnv('REPO_DATABASE_SYNC_URL'),
    },
    processorPort: flags.processorPort,
    tls: tlsFilesFrom(flags, command),
    redirectPort: flags.redirectPort,
    workers: flags.workers ?? fromEnvironment('REPO_WORKERS', parseWorkers, command),
  };
}

/** Where the certificate and its key are; undefined without both. Ends the command for one without the other. */
export function tlsFilesFrom(flags: ServerFlags, command: Command): TlsFiles | undefined {
  const cert = flags.tlsCert ?? readEnv('REPO_TLS_CERT');
  const key = flags.tlsKey ?? readEnv('REPO_TLS_KEY');
  if (cert !== undefined && key !== undefined) return { cert, key };
  if (cert !== undefined) return command.error('--tls-cert or REPO_TLS_CERT needs --tls-key or REPO_TLS_KEY as well');
  if (key !== undefined) return command.error('--tls-key or REPO_TLS_KEY needs --tls-cert or REPO_TLS_CERT as well');
  return undefined;
}

/**
 * Returns the source of a separate processor's configuration: the named file, else the variables of the original
 * service. Undefined if neither is set.
 */
export function processorSource(named: string | undefined): ProcessorConfigSource | undefined {
  if (named !== undefined) return { file: named, mayLack: false };
  const text = readEnv('SCYLLARIDAE_YML');
  const file = text === undefined ? readEnv('SCYLLARIDAE_YML_PATH') : 'SCYLLARIDAE_YML';
  return file === undefined ? undefined : { file, text, mayLack: false, asOriginal: true };
}

/** The port that a variable names; undefined if it is not set. Ends the command for one that is no port. */
export function portFromEnvironment(name: string, command: Command): number | undefined {
  return fromEnvironment(name, parsePort, command);
}

function fromEnvironment<T>(name: string, parse: (value: string) => T, command: Command): T | undefined {
  const value = readEnv(name);
  if (value === undefined) return undefined;
  try {
    return parse(value);
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    return command.error(`${name} is ${value}: ${error.message}`);
  }
}
