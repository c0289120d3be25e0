import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { parseHttpAddress } from '../../base/allowed-sources.ts';
import { createConfigReader, sourceOf } from '../../base/config-reader.ts';
import { coreCount } from '../../base/env.ts';
import { DEFAULT_UPLOAD_RATE, type UploadRate } from '../../base/upload-rate.ts';
import type { YamlFile } from '../../base/yaml-file.ts';
import type { CommandEntry, CommandTable } from './commands.ts';
import type { FindProgram } from './programs.ts';
import { readCommands, readPattern } from './read-commands.ts';
import { ProcessorFileSchema } from './schema.ts';

const DEFAULT_SOURCE_TIMEOUT_S = 30;
const DEFAULT_MAX_QUEUED = 100;
const DEFAULT_CONCURRENT_PER_CORE = 2;

export interface ProcessorConfig {
  jwksUri: URL | undefined;
  jwtIssuer: string[] | undefined;
  jwtAudience: string[] | undefined;
  forwardAuth: boolean;
  allowedMimeTypes: string[];
  /** The address prefixes of allowed sources. Undefined: any http or https address. */
  allowedSources: URL[] | undefined;
  commands: CommandTable<CommandEntry>;
  mimeTypeFromDestination: boolean;
  /** Extensions by media type, before the usual ones. */
  extensions: Readonly<Record<string, string>>;
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
 * Parses a configuration file. Throws ConfigError with all problems of the file. A missing program is a problem, unless
 * `mayLack` or its command is `optional`: the command then never runs.
 */
export function parseProcessorConfig(source: YamlFile, findProgram: FindProgram, mayLack = false): ProcessorConfig {
  const reader = createConfigReader(sourceOf(source));
  const file = reader.map(ProcessorFileSchema, source.value ?? {}, []);
  const mimeTypeFromDestination = file.mimeTypeFromDestination ?? false;
  const config: ProcessorConfig = {
    commands: readCommands(file.cmdByMimeType ?? {}, { reader, findProgram, mayLack, mimeTypeFromDestination }),
    jwksUri: file.jwksUri ? reader.parsed(['jwksUri'], file.jwksUri, parseHttpAddress) : undefined,
    jwtIssuer: file.jwtIssuer,
    jwtAudience: file.jwtAudience,
    forwardAuth: file.forwardAuth ?? true,
    allowedMimeTypes: (file.allowedMimeTypes ?? []).map((value, index) =>
      readPattern(reader, value, ['allowedMimeTypes', `${index}`]),
    ),
    allowedSources: file.allowedSources?.flatMap(
      (value, index) => reader.parsed(['allowedSources', `${index}`], value, parseHttpAddress) ?? [],
    ),
    mimeTypeFromDestination,
    extensions: {},
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
      reader.report([key], `${key} has no effect without jwksUri, the key set to verify tokens by`);
  }
  reader.finish();
  return config;
}
