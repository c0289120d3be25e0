import type { Log } from '../base/log.ts';
import type { ProcessorConfig } from '../processor/config.ts';

/** Returns a function that logs what may be a slip in a configuration, each sentence once; nothing unless `isFirst`. */
export function createWarningLog(log: Log, isFirst: boolean): (config: ProcessorConfig) => void {
  const logged = new Set<string>();
  return ({ warnings }) => {
    for (const warning of warnings) {
      if (isFirst && !logged.has(warning)) log.warn(warning);
      logged.add(warning);
    }
  };
}
