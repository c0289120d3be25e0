import type { Static, TSchema } from '@sinclair/typebox';
import { checkShape, nameOf, withoutBadMembers } from '../base/check-shape.ts';
import { parseDuration } from '../base/duration.ts';
import { readEnv } from '../base/env.ts';
import { ConfigError, type Problem, readYamlFile, type YamlFile } from '../base/yaml-file.ts';
import { parseProcessorAddress } from '../derivatives/processor-address.ts';
import { parseBaseUrl } from '../http/base-url.ts';
import { parseTrustedProxies } from '../http/trusted-proxies.ts';
import { CommandError } from './command-error.ts';
import {
  DEFAULT_SERVER_CONFIG,
  type DerivativesConfig,
  type SchemeConfig,
  type ServerConfig,
} from './repository-config.ts';
import { DerivativesSchema, RepositoryFileSchema, SchemeSchema } from './repository-config-schema.ts';

/** As in `public://a.png`, and in an address. Those that browsers and programs know as schemes of the web are not ours. */
const SCHEME_NAME = /^(?!(?:https?|file|data|javascript|blob|ftp|temporary)$)[a-z][a-z0-9_-]{0,31}$/;
const MAX_TOKEN_EXPIRY_S = 366 * 86_400;

type FileValue = Static<typeof RepositoryFileSchema>;
/** What the command line and the environment say; it goes before what the file says. */
export type Overrides = { readonly [Key in keyof ServerConfig]?: ServerConfig[Key] | undefined };

/**
 * The configuration of a server: the defaults, the file if there is one, and what goes before it. Throws
 * ConfigError with every problem of the file at once, and CommandError for what goes before it.
 */
export async function loadServerConfig(file: string | undefined, overrides: Overrides): Promise<ServerConfig> {
  if (overrides.baseUrl !== undefined) checkBaseUrl(overrides.baseUrl);
  const fromFile = file === undefined ? {} : parseServerConfig(await readYamlFile(file, readEnv));
  return { ...DEFAULT_SERVER_CONFIG, ...fromFile, ...(withoutUnset(overrides) as Partial<ServerConfig>) };
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
  const problems: Problem[] = [];
  const report = (path: readonly string[], message: string) =>
    problems.push({ line: source.lineOf(path), message: source.redact(message) });
  const file = checkedMap<FileValue>(RepositoryFileSchema, source.value ?? {}, []);
  const config = {
    dataFolder: file.data,
    host: file.host,
    port: file.port,
    baseUrl: file.baseUrl === undefined ? undefined : checked(['baseUrl'], file.baseUrl, parseBaseUrl),
    trustedProxies: readProxies(file.trustedProxies),
    siteName: file.siteName,
    modelFile: file.model,
    schemes: file.schemes === undefined ? undefined : readSchemes(file.schemes),
    maxJsonBytes: file.maxJsonBytes,
    maxUploadBytes: file.maxUploadBytes,
    tokenExpirySeconds: file.tokenExpiry === undefined ? undefined : readExpiry(String(file.tokenExpiry)),
    derivatives: file.derivatives === undefined ? undefined : readDerivatives(file.derivatives),
    processorFile: file.processor,
    processorPort: file.processorPort,
  };
  if (problems.length > 0) throw new ConfigError(source.file, problems);
  return withoutUnset(config);

  function checkedMap<Shape>(schema: TSchema, value: unknown, path: string[]): Partial<Shape> {
    const found = checkShape(schema, value, path, source.redact);
    for (const problem of found) report(problem.path, problem.message);
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isMap ? withoutBadMembers(value, found, path) : {};
  }

  /** What a parser makes of a text; its RangeError, which says what the text must be, becomes a problem. */
  function checked<T>(path: string[], text: string, parse: (text: string) => T): T | undefined {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      report(path, `${nameOf(path)} ${error.message}`);
      return undefined;
    }
  }

  function readProxies(entries: readonly string[] | undefined): readonly string[] | undefined {
    entries?.forEach((entry, index) => {
      checked(['trustedProxies', `${index}`], entry, (text) => parseTrustedProxies([text]));
    });
    return entries;
  }

  function readExpiry(text: string): number | undefined {
    const seconds = parseDuration(text);
    if (seconds !== undefined && seconds <= MAX_TOKEN_EXPIRY_S) return seconds;
    const allowed = 'a time such as 30m, 2h or 7d, or a number of seconds, from 1 s to 366d';
    report(['tokenExpiry'], `tokenExpiry must be ${allowed}, found "${text}"`);
    return undefined;
  }

  function readDerivatives(value: Record<string, unknown>): DerivativesConfig {
    const path = ['derivatives'];
    const given = checkedMap<Static<typeof DerivativesSchema>>(DerivativesSchema, value, path);
    return {
      rulesFile: given.rules,
      processors: (given.processors ?? []).flatMap(
        (text, index) => checked([...path, 'processors', `${index}`], text, parseProcessorAddress) ?? [],
      ),
      maxConcurrent: given.maxConcurrent,
      maxAttempts: given.maxAttempts ?? DEFAULT_SERVER_CONFIG.derivatives.maxAttempts,
    };
  }

  /** The default schemes stay, unless the file says something else of them. */
  function readSchemes(map: Record<string, unknown>): readonly SchemeConfig[] {
    const schemes = new Map(DEFAULT_SERVER_CONFIG.schemes.map((scheme) => [scheme.name, scheme]));
    for (const [name, value] of Object.entries(map)) {
      const path = ['schemes', name];
      if (!SCHEME_NAME.test(name)) {
        report(
          path,
          `${nameOf(path)}: a scheme is called by lower-case letters, digits, - and _, and not as one of the web`,
        );
        continue;
      }
      const { folder, access } = checkedMap<Static<typeof SchemeSchema>>(SchemeSchema, value, path);
      if (folder !== undefined && access !== undefined)
        schemes.set(name, { name, folder, isPublic: access === 'public' });
    }
    const owners = new Map<string, string>();
    for (const { name, folder } of schemes.values()) {
      const owner = owners.get(folder);
      if (owner !== undefined)
        report(['schemes', name], `schemes.${name} must have a folder of its own, not that of ${owner}`);
      owners.set(folder, name);
    }
    return [...schemes.values()];
  }
}

function withoutUnset<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
