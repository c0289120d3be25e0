import { loadModel } from './load-model.ts';
import { loadServerConfig, type Overrides } from './load-repository-config.ts';
import { loadProcessorConfig, missingPrograms, nameOfSource } from './processor-config.ts';

/** What a configuration amounts to, in sentences for the person who wrote it. */
export interface ConfigSummary {
  readonly facts: readonly string[];
}

/** Reads all that `repo serve` would read, and starts nothing. Throws ConfigError with what is wrong. */
export async function checkServerConfig(
  file: string | undefined,
  overrides: Overrides,
  hasProcessor: boolean,
): Promise<ConfigSummary> {
  const config = await loadServerConfig(file, overrides);
  const { nodeTypes, mediaTypes, vocabularies, roles } = await loadModel(config);
  const facts = [
    `content model: ${nodeTypes.size} node types, ${mediaTypes.size} media types, ${vocabularies.size} vocabularies, ${roles.size} roles`,
  ];
  if (hasProcessor) {
    const source = { file: config.processorFile, mayLack: true };
    const processor = await loadProcessorConfig(source);
    const missing = missingPrograms(processor);
    const lack = missing.length === 0 ? '' : `; this machine lacks ${missing.join(', ')}`;
    facts.push(`processor: ${nameOfSource(source)}${lack}`);
  }
  return { facts };
}
