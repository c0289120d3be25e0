import type { AllowedOptions } from './allowed-options.ts';

/** A command that files are piped through. */
export interface CommandDefinition {
  /** Where it stands in the configuration. Names it in the log, and counts its running children. */
  key: string;
  /** The program as configured. */
  cmd: string;
  /** The program as found on this machine. */
  program: string;
  /** What it needs and this machine does not have, of `cmd` and `requires`, where that is allowed: then nothing runs. */
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
  /** The program that keeps a command to `maxMemoryBytes`; undefined without it, and where this machine lacks that. */
  memoryLimiter: string | undefined;
  contentType: string | undefined;
  maxConcurrent: number | undefined;
}

/** Commands by exact type, by family, or under `default`. */
export type CommandTable<Entry> = ReadonlyMap<string, Entry>;
export type CommandEntry = CommandDefinition | { byDestination: CommandTable<CommandDefinition> };

/** A configuration, as far as its commands go. */
interface WithCommands {
  readonly commands: CommandTable<CommandEntry>;
}

/** Every command of a configuration, each once. */
export function allCommands({ commands }: WithCommands): CommandDefinition[] {
  return [...commands.values()].flatMap((entry) =>
    'byDestination' in entry ? [...entry.byDestination.values()] : [entry],
  );
}

/** The same configuration with each command as `change` makes it. */
export function mapCommands<Config extends WithCommands>(
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
