import { allCommands, type CommandDefinition, type CommandEntry, type ProcessorConfig } from './config.ts';

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
  const lookAgain = (command: CommandDefinition): CommandDefinition => ({
    ...command,
    program: findProgram(command.cmd) ?? command.program,
    missing: command.missing.filter((name) => findProgram(name) === null),
  });
  const commands = new Map<string, CommandEntry>();
  for (const [type, entry] of config.commands) {
    const again =
      'byDestination' in entry
        ? { byDestination: new Map([...entry.byDestination].map(([to, command]) => [to, lookAgain(command)])) }
        : lookAgain(entry);
    commands.set(type, again);
  }
  return { ...config, commands };
}
