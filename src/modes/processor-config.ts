import { readEnv } from '../base/env.ts';
import { readYamlFile } from '../base/yaml-file.ts';
import { type ProcessorConfig, parseProcessorConfig } from '../processor/config.ts';

/** Reads and checks a processor configuration against this machine. Throws ConfigError with all problems. */
export async function loadProcessorConfig(file: string): Promise<ProcessorConfig> {
  return parseProcessorConfig(await readYamlFile(file, readEnv), (name) => Bun.which(name));
}
