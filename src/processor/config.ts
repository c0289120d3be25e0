import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import type { Static, TSchema } from '@sinclair/typebox';
import { checkShape, nameOf, withoutBadMembers } from '../base/check-shape.ts';
import { coreCount } from '../base/env.ts';
import { isMediaTypePattern, parseMediaType } from '../base/media-type.ts';
import { DEFAULT_UPLOAD_RATE, type UploadRate } from '../base/upload-rate.ts';
import { ConfigError, type Problem, type YamlFile } from '../base/yaml-file.ts';
import { type AllowedOptions, FORM_NAMES, parseAllowedOptions } from './allowed-options.ts';
import { type AllowedSource, parseAllowedSource } from './allowed-sources.ts';
import { MEMORY_LIMITER } from './command-limits.ts';
import type { CommandDefinition, CommandEntry, CommandTable } from './commands.ts';
import { CommandSchema, CommandsByDestinationSchema, ProcessorFileSchema } from './config-schema.ts';
import { ARGS, problemsInArguments } from './substitute.ts';

const DEFAULT_TIMEOUT_S = 600;
const DEFAULT_SOURCE_TIMEOUT_S = 30;
const DEFAULT_MAX_QUEUED = 100;
const DEFAULT_CONCURRENT_PER_CORE = 2;

export interface ProcessorConfig {
  jwksUri: URL | undefined;
  jwtIssuer: string[] | undefined;
  jwtAudience: string[] | undefined;
  forwardAuth: boolean;
  allowedMimeTypes: string[];
  /** Undefined: any http or https address. */
  allowedSources: AllowedSource[] | undefined;
  commands: CommandTable<CommandEntry>;
  mimeTypeFromDestination: boolean;
  maxConcurrent: number;
  maxQueued: number;
  maxBodyBytes: number | undefined;
  /** Minimum rate of the body of a POST. */
  minUploadRate: UploadRate;
  sourceTimeoutSeconds: number;
  /** The parent of the commands' working folders. */
  workFolder: string;
  /** Warnings about valid but doubtful settings, with file and line. */
  warnings: readonly string[];
}

/**
 * Turns a configuration file into a checked configuration. `findProgram` answers the path of an
 * executable, or null. Throws `ConfigError` with every problem of the file at once. A program that is
 * missing is such a problem, unless `mayLack` or the command is `optional`: its entries then have no command.
 */
export function parseProcessorConfig(
  source: YamlFile,
  findProgram: (name: string) => string | null,
  mayLack = false,
): ProcessorConfig {
  const problems: Problem[] = [];
  const report = (path: readonly string[], message: string) =>
    problems.push({ line: source.lineOf(path), message: source.redact(message) });
  const file = checkedMap<Static<typeof ProcessorFileSchema>>(ProcessorFileSchema, source.value ?? {}, []);
  const mimeTypeFromDestination = file.mimeTypeFromDestination ?? false;
  const commands = readTable(file.cmdByMimeType ?? {}, ['cmdByMimeType'], (value, path) =>
    isMap(value) && 'cmdByDestination' in value ? readByDestination(value, path) : readCommand(value, path),
  );
  const config: ProcessorConfig = {
    jwksUri: file.jwksUri ? readHttpAddress(file.jwksUri, ['jwksUri']) : undefined,
    jwtIssuer: file.jwtIssuer,
    jwtAudience: file.jwtAudience,
    forwardAuth: file.forwardAuth ?? true,
    allowedMimeTypes: (file.allowedMimeTypes ?? []).map((value, index) =>
      readPattern(value, ['allowedMimeTypes', `${index}`]),
    ),
    allowedSources: file.allowedSources?.flatMap((value, index) => {
      const allowed = parseAllowedSource(value);
      const path = ['allowedSources', `${index}`];
      if (!allowed) report(path, `${nameOf(path)} must be an http or https address, found "${value}"`);
      return allowed ?? [];
    }),
    commands,
    mimeTypeFromDestination,
    maxConcurrent: file.maxConcurrent ?? DEFAULT_CONCURRENT_PER_CORE * coreCount(),
    maxQueued: file.maxQueued ?? DEFAULT_MAX_QUEUED,
    maxBodyBytes: file.maxBodyBytes,
    minUploadRate: {
      bytesPerSecond: file.minUploadRate ?? DEFAULT_UPLOAD_RATE.bytesPerSecond,
      periodSeconds: file.minUploadPeriod ?? DEFAULT_UPLOAD_RATE.periodSeconds,
    },
    sourceTimeoutSeconds: file.sourceTimeout ?? DEFAULT_SOURCE_TIMEOUT_S,
    warnings: source.bareVariables.map(
      ({ name, line }) =>
        `${source.file}:${line}: $${name} stays as it is; write \${${name}} for its value from the environment`,
    ),
    workFolder: resolve(file.workFolder ?? tmpdir()),
  };
  for (const key of ['jwtIssuer', 'jwtAudience'] as const) {
    if (file[key] && !file.jwksUri)
      report([key], `${key} has no effect without jwksUri, the key set to verify tokens by`);
  }
  if (problems.length > 0) throw new ConfigError(source.file, problems);
  return config;

  /** Reports where a map differs from its schema, and hands on the members that do not. */
  function checkedMap<Shape>(schema: TSchema, value: unknown, path: string[]): Partial<Shape> {
    const problems = checkShape(schema, value, path, source.redact);
    for (const problem of problems) report(problem.path, problem.message);
    return isMap(value) ? withoutBadMembers(value, problems, path) : {};
  }

  function readTable<Entry>(
    table: Record<string, unknown>,
    at: string[],
    read: (value: unknown, path: string[]) => Entry,
  ): Map<string, Entry> {
    const entries = new Map<string, Entry>();
    for (const [key, value] of Object.entries(table)) {
      const path = [...at, key];
      const type = key === 'default' ? key : readPattern(key, path);
      if (type === '*') report(path, `${nameOf(path)} must be a MIME type, a family such as image/*, or "default"`);
      if (entries.has(type)) report(path, `${nameOf(path)} stands here twice: upper and lower case are the same type`);
      entries.set(type, read(value, path));
    }
    return entries;
  }

  function readByDestination(value: object, path: string[]): CommandEntry {
    if (mimeTypeFromDestination) {
      report(
        path,
        `${nameOf(path)} is already chosen by destination: mimeTypeFromDestination leaves no use for cmdByDestination`,
      );
    }
    const { cmdByDestination } = checkedMap<Static<typeof CommandsByDestinationSchema>>(
      CommandsByDestinationSchema,
      value,
      path,
    );
    return { byDestination: readTable(cmdByDestination ?? {}, [...path, 'cmdByDestination'], readCommand) };
  }

  function readCommand(value: unknown, path: string[]): CommandDefinition {
    const command = checkedMap<Static<typeof CommandSchema>>(CommandSchema, value, path);
    const cmd = command.cmd ?? '';
    const program = cmd && findProgram(cmd);
    const missing = new Set(program === null ? [cmd] : []);
    const lack = mayLack || command.optional ? () => {} : reportMissing;
    if (program === null) lack(cmd, [...path, 'cmd'], 'install it or name its path');
    command.requires?.forEach((name, index) => {
      if (findProgram(name) !== null) return;
      missing.add(name);
      lack(name, [...path, 'requires', `${index}`], 'install it');
    });
    const args = command.args ?? [];
    for (const { index, message } of problemsInArguments(args)) report([...path, 'args', `${index}`], message);
    const contentType = command.contentType;
    if (contentType !== undefined && !(parseMediaType(contentType) && /^[\x20-\x7e]+$/.test(contentType))) {
      report(
        [...path, 'contentType'],
        `${nameOf([...path, 'contentType'])} must be a MIME type, found "${contentType}"`,
      );
    }
    return {
      key: nameOf(path.slice(1)),
      cmd,
      program: program ?? cmd,
      missing: [...missing],
      args,
      env: command.env ?? {},
      allowInsecureArgs: command.allowInsecureArgs ?? false,
      allowedOptions: command.allowedOptions && readOptions(command.allowedOptions, args, [...path, 'allowedOptions']),
      timeoutSeconds: command.timeout ?? DEFAULT_TIMEOUT_S,
      maxOutputBytes: command.maxOutputBytes,
      maxMemoryBytes: command.maxMemoryBytes,
      memoryLimiter: command.maxMemoryBytes === undefined ? undefined : (findProgram(MEMORY_LIMITER) ?? undefined),
      contentType,
      maxConcurrent: command.maxConcurrent,
    };
  }

  function readOptions(
    options: Record<string, string | string[]>,
    args: readonly string[],
    path: string[],
  ): AllowedOptions {
    if (!args.includes(ARGS)) report(path, `${nameOf(path)} has no effect without ${ARGS} in args`);
    return parseAllowedOptions(options, (option) => {
      const at = [...path, option];
      report(at, `${nameOf(at)} must be ${FORM_NAMES}, found "${options[option]}"`);
    });
  }

  function reportMissing(name: string, path: string[], advice: string): void {
    report(path, `${nameOf(path)}: there is no program "${name}" on this machine; ${advice}`);
  }

  function readPattern(value: string, path: string[]): string {
    const pattern = value.toLowerCase();
    if (!isMediaTypePattern(pattern)) {
      const hint = pattern === '*/*' ? '; write "*" for any type' : '';
      report(path, `${nameOf(path)} must be a MIME type, a family such as image/*, or "*", found "${value}"${hint}`);
    }
    return pattern;
  }

  function readHttpAddress(value: string, path: string[]): URL | undefined {
    const url = URL.parse(value);
    if (url !== null && /^https?:$/.test(url.protocol)) return url;
    report(path, `${nameOf(path)} must be an http or https address, found "${value}"`);
    return undefined;
  }
}

function isMap(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
