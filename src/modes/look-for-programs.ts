import type { ProcessorConfig } from '../processor/config.ts';
import { findProgram } from '../processor/find-program.ts';
import { missingPrograms, withFoundPrograms } from '../processor/missing-programs.ts';

const LOOK_EVERY_MS = 60_000;

export interface ProgramSearchOptions {
  /** The configuration in force. */
  config(): ProcessorConfig;
  /** Told of a configuration in which programs are there that were missing before, and which these are. */
  onFound(config: ProcessorConfig, found: readonly string[]): void;
  /** Left out: a minute. */
  everyMs: number | undefined;
}

/** Looks now and then for programs that were missing: they may be installed while the processor runs. */
export interface ProgramSearch {
  /** Begins to look if something is missing, and ends it if nothing is. To be called when the configuration changes. */
  adapt(): void;
  /** Ends it for good. */
  stop(): void;
}

/** A search that has not begun. It keeps no process alive. */
export function createProgramSearch({ config, onFound, everyMs = LOOK_EVERY_MS }: ProgramSearchOptions): ProgramSearch {
  let timer: Timer | undefined;
  let hasStopped = false;
  const rest = () => {
    clearInterval(timer);
    timer = undefined;
  };
  return {
    adapt() {
      if (hasStopped || missingPrograms(config()).length === 0) return rest();
      timer ??= setInterval(look, everyMs).unref();
    },
    stop() {
      hasStopped = true;
      rest();
    },
  };

  function look(): void {
    const found = missingPrograms(config()).filter((name) => findProgram(name) !== null);
    if (found.length === 0) return;
    const again = withFoundPrograms(config(), findProgram);
    onFound(again, found);
  }
}
