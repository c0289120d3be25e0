import { MEMORY_LIMITER } from './command-limits.ts';
import { allCommands, mapCommands } from './commands.ts';
import type { ProcessorConfig } from './config.ts';

/** The programs that a configuration names and this machine does not have, each once. */
export function missingPrograms(config: ProcessorConfig): string[] {
  return [...new Set(allCommands(config).flatMap(({ missing }) => missing))];
}

/**
 * The same configuration with the programs that have come since it was read. `findProgram` answers the
 * path of an executable, or null.
 */
export function withFoundPrograms(
  config: ProcessorConfig,
  findProgram: (name: string) => string | null,
): ProcessorConfig {
  return mapCommands(config, (command) => ({
    ...command,
    program: findProgram(command.cmd) ?? command.program,
    memoryLimiter: command.maxMemoryBytes === undefined ? undefined : (findProgram(MEMORY_LIMITER) ?? undefined),
    missing: command.missing.filter((name) => findProgram(name) === null),
  }));
}
