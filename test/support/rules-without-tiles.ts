import { resolve } from 'node:path';
import type { RepositoryConfig } from '../../src/config/server-config.ts';

const RULES = resolve(import.meta.dir, '../fixtures/derivatives-without-tiles.yaml');

/** Returns a configuration without tiles of images, unless it names rules. Tests of jobs in general count the others. */
export function withoutTiles(config: RepositoryConfig): RepositoryConfig {
  const { derivatives } = config;
  return { ...config, derivatives: { ...derivatives, rulesFile: derivatives.rulesFile ?? RULES } };
}
