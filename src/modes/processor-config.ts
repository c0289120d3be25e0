import builtIn from '../../config/processor.yaml' with { type: 'text' };
import { readEnv } from '../base/env.ts';
import { ConfigError, parseYamlText, readYamlFile, type YamlFile } from '../base/yaml-file.ts';
import { mapCommands } from '../processor/commands.ts';
import { type ProcessorConfig, parseProcessorConfig } from '../processor/config.ts';
import { ProcessorFileSchema } from '../processor/config-schema.ts';
import { findProgram } from '../processor/find-program.ts';
import { RepositoryFileSchema } from './repository-config-schema.ts';
import { type Seat, shareOf } from './workers/seat.ts';

/** Where a processor's configuration comes from. */
export interface ProcessorConfigSource {
  /** Undefined: the one that is part of the program. */
  readonly file: string | undefined;
  /** The text of a configuration that is in no file; `file` is then its name in errors and in the log. */
  readonly text?: string | undefined;
  /**
   * True if variables of the original service name it. Its commands then get the whole environment, not only the
   * variables that programs need, and run in the current directory of the service (docs/decisions/036).
   */
  readonly asOriginal?: boolean;
  /** Whether programs may be missing on this machine: no command then stands for them. */
  readonly mayLack: boolean;
}

/**
 * The defaults of variables that existing configurations name, as in the images of the original service. A name with
 * neither a value nor a default is rejected.
 */
const DEFAULTS: Record<string, string | undefined> = { SCYLLARIDAE_ALLOW_INSECURE_ARGS: 'false' };
const lookUp = (name: string) => readEnv(name) ?? DEFAULTS[name];

/** What errors and the log call the configuration that is part of the program. */
const BUILT_IN = 'built-in processor.yaml';

export const nameOfSource = ({ file }: ProcessorConfigSource): string => file ?? BUILT_IN;

/** Reads and checks a processor configuration against this machine. Throws ConfigError with all problems. */
export async function loadProcessorConfig(source: ProcessorConfigSource): Promise<ProcessorConfig> {
  return parseProcessorConfig(await readSource(source), findProgram, source.mayLack);
}

async function readSource({ file, text }: ProcessorConfigSource): Promise<YamlFile> {
  if (file === undefined) return parseYamlText(BUILT_IN, builtIn, lookUp);
  return text === undefined ? readYamlFile(file, lookUp) : parseYamlText(file, text, lookUp);
}

/**
 * Returns true if a file has more keys of a processor's configuration than of a repository's. False for a file that
 * cannot be read.
 */
export async function looksLikeProcessorConfig(file: string): Promise<boolean> {
  try {
    const { value } = await readYamlFile(file, (name) => readEnv(name) ?? '');
    const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    const ofProcessor = keys.filter((key) => key in ProcessorFileSchema.properties);
    const ofRepository = keys.filter((key) => key in RepositoryFileSchema.properties);
    return ofProcessor.length > ofRepository.length;
  } catch (error) {
    // The check of the file reports the problem.
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

/** A worker's share of what a configuration allows at a time, in all, of one command, and in the queue. */
export function configForSeat(config: ProcessorConfig, seat: Seat | undefined): ProcessorConfig {
  if (seat === undefined) return config;
  const { maxConcurrent, maxQueued } = config;
  return {
    ...mapCommands(config, (command) => ({
      ...command,
      maxConcurrent: command.maxConcurrent && shareOf(command.maxConcurrent, seat),
    })),
    maxConcurrent: shareOf(maxConcurrent, seat),
    maxQueued: maxQueued === 0 ? 0 : shareOf(maxQueued, seat),
  };
}
