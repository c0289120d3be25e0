import { expect } from 'bun:test';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError, readYamlFile } from '../../../../src/base/yaml-file.ts';
import { type ProcessorConfig, parseProcessorConfig } from '../../../../src/processor/config/config.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';

const VARIABLES: Record<string, string> = {
  SECONDS: '45',
  HOST: 'repo.example',
  TRICKY: '"], cmd: evil',
  SECRET: 'hunter2',
  LONG_SECRET: 'hunter2-'.repeat(20),
};

const MISSING = new Set(['missing-program', 'missing-tool']);

/** A configuration given as YAML, on a machine that has every program but `missing-program` and `missing-tool`. */
export async function parseConfig(yaml: string, { mayLack = false } = {}): Promise<ProcessorConfig> {
  const folder = await emptyFolder();
  try {
    const file = join(folder, 'cmds.yaml');
    await writeFile(file, yaml);
    const source = await readYamlFile(file, (name) => VARIABLES[name]);
    return parseProcessorConfig(source, (name) => (MISSING.has(name) ? null : `/bin/${name}`), mayLack);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The problems in a configuration, as `cmds.yaml:LINE: message`. */
export async function problemsOf(yaml: string): Promise<string[]> {
  const error = await parseConfig(yaml).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).problems.map((problem) => problem.slice(problem.indexOf('cmds.yaml:')));
}
