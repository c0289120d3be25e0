import type { Log } from '../base/log.ts';
import type { ProcessorConfig } from '../processor/config.ts';

/** Returns a function that logs each warning of a configuration once, or nothing unless `isFirst`. */
export function createWarningLog(log: Log, isFirst: boolean): (config: ProcessorConfig) => void {
  const logged = new Set<string>();
  return ({ warnings }) => {
    for (const warning of warnings) {
      if (isFirst && !logged.has(warning)) log.warn(warning);
      logged.add(warning);
    }
  };
}
