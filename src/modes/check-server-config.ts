import { missingPrograms } from '../processor/missing-programs.ts';
import { listWithPackages } from '../processor/program-packages.ts';
import { loadModel } from './load-model.ts';
import { loadServerConfig, type Overrides } from './load-repository-config.ts';
import { loadRules } from './load-rules.ts';
import { loadProcessorConfig, nameOfSource } from './processor-config.ts';
import { checkCertificate } from './tls/check-certificate.ts';

/** What a configuration amounts to, in sentences for the person who wrote it. */
export interface ConfigSummary {
  readonly facts: readonly string[];
}

/** Reads all that `repo serve` would read, and starts nothing. Throws ConfigError or CertificateError with what is wrong. */
export async function checkServerConfig(
  file: string | undefined,
  overrides: Overrides,
  hasProcessor: boolean,
): Promise<ConfigSummary> {
  const config = await loadServerConfig(file, overrides);
  const model = await loadModel(config);
  const { nodeTypes, mediaTypes, vocabularies, paragraphTypes, roles } = model;
  const ofParagraphs = paragraphTypes.size > 0 ? `${counted(paragraphTypes.size, 'paragraph type')}, ` : '';
  const { actions, contexts } = await loadRules(config, model);
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
