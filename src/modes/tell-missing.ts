import type { Log } from '../base/log.ts';
import { MEMORY_LIMITER, withoutMemoryLimit } from '../processor/command-limits.ts';
import { allCommands } from '../processor/commands.ts';
import type { ProcessorConfig } from '../processor/config.ts';
import { missingPrograms } from '../processor/missing-programs.ts';
import { listWithPackages } from '../processor/program-packages.ts';
import { nameOfSource, type ProcessorConfigSource } from './processor-config.ts';

/** Logs which programs of a configuration are missing on this machine, and the consequences. */
export function tellWhatIsMissing(config: ProcessorConfig, source: ProcessorConfigSource, log: Log): void {
  const name = nameOfSource(source);
  const missing = missingPrograms(config);
  if (missing.length > 0) {
    const [them, they] = missing.length === 1 ? ['it', 'it is'] : ['them', 'they are'];
    const wait = source.mayLack ? `derivatives that need ${them} wait` : `requests that need ${them} fail`;
    const lack = `this machine lacks ${listWithPackages(missing)}`;
    log.warn({ config: name, missing }, `${lack}: ${wait} until ${they} installed`);
  }
  const unlimited = withoutMemoryLimit(allCommands(config)).map(({ key }) => key);
  if (unlimited.length > 0) {
    const lack = `this machine lacks ${listWithPackages([MEMORY_LIMITER])}`;
    log.warn({ config: name, unlimited }, `${lack}: commands run without their maxMemoryBytes`);
  }
}
