import { loadDerivativeRules } from '../derivatives/load-rules.ts';
import type { DerivativeRules } from '../derivatives/rules.ts';
import type { ContentModel } from '../model/content-model.ts';
import type { RepositoryConfig } from './repository-config.ts';

/** The derivative rules of a repository. Throws ConfigError for rules that cannot be used. */
export function loadRules(
  { derivatives, schemes }: Pick<RepositoryConfig, 'derivatives' | 'schemes'>,
  { mediaTypes }: Pick<ContentModel, 'mediaTypes'>,
): Promise<DerivativeRules> {
  return loadDerivativeRules(derivatives.rulesFile, {
    mediaTypes,
    schemes: new Set(schemes.map(({ name }) => name)),
  });
}
