import type { AllowedOptions } from './allowed-options.ts';

/** A command that processes files from standard input to standard output. */
export interface CommandDefinition {
  /** Its key in the configuration, used in the log and to count its running children. */
  key: string;
  /** The program as configured. */
  cmd: string;
  /** The program as found on this machine. */
  program: string;
  /** The programs of `cmd` and `requires`. */
  needs: readonly string[];
  /** Missing programs of `cmd` and `requires`, if they may be missing. The command then never runs. */
  missing: readonly string[];
  args: string[];
  env: Record<string, string>;
  allowInsecureArgs: boolean;
  /** Undefined: any options. */
  allowedOptions: AllowedOptions | undefined;
  timeoutSeconds: number;
  maxOutputBytes: number | undefined;
  /** For each process of the command. */
  maxMemoryBytes: number | undefined;
  /** The program that enforces `maxMemoryBytes`; undefined without that limit, and if the program is missing. */
  memoryLimiter: string | undefined;
  contentType: string | undefined;
  maxConcurrent: number | undefined;
}

/** Commands by exact type, by family, or under `default`. */
export type CommandTable<Entry> = ReadonlyMap<string, Entry>;
export type CommandEntry = CommandDefinition | { byDestination: CommandTable<CommandDefinition> };

/** The commands of a configuration. */
export interface CommandSet {
  readonly commands: CommandTable<CommandEntry>;
}

/** Returns every command of a configuration once. */
export function allCommands({ commands }: CommandSet): CommandDefinition[] {
  return [...commands.values()].flatMap((entry) =>
    'byDestination' in entry ? [...entry.byDestination.values()] : [entry],
  );
}

/** Returns the configuration with `change` applied to each command. */
export function mapCommands<Config extends CommandSet>(
  config: Config,
  change: (command: CommandDefinition) => CommandDefinition,
): Config {
  const commands = new Map<string, CommandEntry>();
  for (const [type, entry] of config.commands) {
    const changed =
      'byDestination' in entry
        ? { byDestination: new Map([...entry.byDestination].map(([to, command]) => [to, change(command)])) }
        : change(entry);
    commands.set(type, changed);
  }
  return { ...config, commands };
}
