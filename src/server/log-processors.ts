import type { Log } from '../base/log.ts';
import type { RepositoryConfig } from '../config/server-config.ts';
import type { DerivativeRules } from '../jobs/rules.ts';

/** Logs reasons why derivatives are not made or fail with this configuration. */
export function logProcessors(config: RepositoryConfig, hasEmbedded: boolean, rules: DerivativeRules, log: Log): void {
  const { processors } = config.derivatives;
  if (processors.length === 0 && !hasEmbedded)
    log.info('no processor is configured: derivatives wait for one (derivatives.processors)');
  if (processors.length > 0 && config.baseUrl === undefined)
    log.warn('processors on other machines cannot fetch files from here: no baseUrl is configured');
  const embedded = [...rules.actions.values()].filter(({ processor }) => processor === 'embedded');
  if (!hasEmbedded && embedded.length > 0) {
    const actions = embedded.map(({ name }) => name);
    log.warn({ actions }, 'derivatives of actions that ask for the embedded processor wait: this mode has none');
  }
}
