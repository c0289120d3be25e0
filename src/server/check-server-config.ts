import { readEnv } from '../base/env.ts';
import { ConfigError, readYamlFile } from '../base/yaml-file.ts';
import { loadServerConfig } from '../config/load-server-config.ts';
import type { Overrides } from '../config/overrides.ts';
import { FILE_KEYS } from '../config/settings.ts';
import { loadDerivativeRules } from '../jobs/load-rules.ts';
import { loadProcessorConfig, nameOfSource } from '../processor/config/load-config.ts';
import { listWithPackages, missingPrograms } from '../processor/config/programs.ts';
import { ProcessorFileSchema } from '../processor/config/schema.ts';
import { loadModel } from './load-model.ts';
import { loadRobots } from './load-robots.ts';
import { loadSite } from './load-site.ts';
import { loadCounterRobots } from './open-usage.ts';
import { checkCertificate } from './tls/certificate.ts';

/** A summary of a configuration, in sentences for its author. */
interface ConfigSummary {
  readonly facts: readonly string[];
}

/** Reads every file that `repo serve` reads, and starts nothing. Throws ConfigError or CertificateError. */
export async function checkServerConfig(
  file: string | undefined,
  overrides: Overrides,
  hasProcessor: boolean,
): Promise<ConfigSummary> {
  const config = await loadServerConfig(file, overrides);
  const model = await loadModel(config);
  await loadSite(config);
  await loadRobots(config);
  await loadCounterRobots(config);
  const { nodeTypes, mediaTypes, vocabularies, paragraphTypes, roles } = model;
  const ofParagraphs = paragraphTypes.size > 0 ? `${counted(paragraphTypes.size, 'paragraph type')}, ` : '';
  const { actions, contexts } = await loadDerivativeRules(config, model);
  const facts = [
    `content model: ${nodeTypes.size} node types, ${mediaTypes.size} media types, ${vocabularies.size} vocabularies, ${ofParagraphs}${roles.size} roles`,
    `${counted(actions.size, 'derivative action')} in ${counted(contexts.length, 'context')}`,
  ];
  if (config.tls) facts.push(...(await checkCertificate(config.tls, config.baseUrl)));
  if (hasProcessor) {
    const source = { file: config.processorFile, mayLack: true };
    const processor = await loadProcessorConfig(source);
    const missing = missingPrograms(processor);
    const lack = missing.length === 0 ? '' : `; this machine lacks ${listWithPackages(missing)}`;
    facts.push(`processor: ${nameOfSource(source)}${lack}`);
  }
  facts.push(...config.obsoleteSettings);
  return { facts };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
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
    const ofRepository = keys.filter((key) => FILE_KEYS.has(key));
    return ofProcessor.length > ofRepository.length;
  } catch (error) {
    // The check of the file reports the problem.
    if (error instanceof ConfigError) return false;
    throw error;
  }
}
