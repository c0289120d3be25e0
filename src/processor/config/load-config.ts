import builtIn from '../../../config/processor.yaml' with { type: 'text' };
import { readEnv } from '../../base/env.ts';
import { embeddedYaml, parseYamlText, readYamlFile, type YamlFile } from '../../base/yaml-file.ts';
import { type ProcessorConfig, parseProcessorConfig } from './config.ts';
import { findProgram } from './programs.ts';

/** The origin of a processor's configuration. */
export interface ProcessorConfigSource {
  /** Undefined: the built-in configuration. */
  readonly file: string | undefined;
  /** The text of a configuration without a file; `file` is then its name in errors and in the log. */
  readonly text?: string | undefined;
  /**
   * True if variables of the original service name it. Its commands then get the whole environment, not only the
   * variables that programs need, and run in the current directory of the service (decision 36). `$NAME` is replaced, and
   * the extension of TIFF is `tiff`, as their scripts expect.
   */
  readonly asOriginal?: boolean;
  /** True if programs may be missing on this machine. Their commands then never run. */
  readonly mayLack: boolean;
}

/**
 * The defaults of variables that existing configurations name, as in the images of the original service. A name with
 * neither a value nor a default is rejected.
 */
const DEFAULTS: Record<string, string | undefined> = { SCYLLARIDAE_ALLOW_INSECURE_ARGS: 'false' };
/** The extensions of the original service that differ from ours. */
const ORIGINAL_EXTENSIONS = { 'image/tiff': 'tiff' };
const lookUp = (name: string) => readEnv(name) ?? DEFAULTS[name];

/** The name of the built-in configuration in errors and in the log. */
const BUILT_IN = 'built-in processor.yaml';

/** Returns the name of a configuration for errors and the log. */
export const nameOfSource = ({ file }: ProcessorConfigSource): string => file ?? BUILT_IN;

/** Reads and checks a processor configuration against this machine. Throws ConfigError with all problems. */
export async function loadProcessorConfig(source: ProcessorConfigSource): Promise<ProcessorConfig> {
  const config = parseProcessorConfig(await readSource(source), findProgram, source.mayLack);
  return source.asOriginal ? { ...config, extensions: ORIGINAL_EXTENSIONS } : config;
}

async function readSource({ file, text, asOriginal }: ProcessorConfigSource): Promise<YamlFile> {
  if (file === undefined) return embeddedYaml(BUILT_IN, builtIn);
  return text === undefined ? readYamlFile(file, lookUp, asOriginal) : parseYamlText(file, text, lookUp, asOriginal);
}
