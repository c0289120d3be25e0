import type { Static } from '@sinclair/typebox';
import { nameOf } from '../../base/check-shape.ts';
import type { ConfigReader } from '../../base/config-reader.ts';
import { isMediaTypePattern, parseMediaType } from '../../base/media-type.ts';
import { type AllowedOptions, FORM_NAMES, parseAllowedOptions } from './allowed-options.ts';
import type { CommandDefinition, CommandEntry, CommandTable } from './commands.ts';
import { type FindProgram, MEMORY_LIMITER } from './programs.ts';
import { CommandSchema, CommandsByDestinationSchema } from './schema.ts';
import { ARGS, problemsInArguments } from './variables.ts';

const DEFAULT_TIMEOUT_S = 600;

interface CommandContext {
  readonly reader: ConfigReader;
  readonly findProgram: FindProgram;
  /** True if programs may be missing. */
  readonly mayLack: boolean;
  readonly mimeTypeFromDestination: boolean;
}

/** Returns the commands of `cmdByMimeType`. Reports its problems. */
export function readCommands(table: Record<string, unknown>, context: CommandContext): CommandTable<CommandEntry> {
  return readTable(table, ['cmdByMimeType'], context, (value, path) =>
    typeof value === 'object' && value !== null && 'cmdByDestination' in value
      ? readByDestination(value, path, context)
      : readCommand(value, path, context),
  );
}

function readTable<Entry>(
  table: Record<string, unknown>,
  at: string[],
  { reader }: CommandContext,
  read: (value: unknown, path: string[]) => Entry,
): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const [key, value] of Object.entries(table)) {
    const path = [...at, key];
    const type = key === 'default' ? key : readPattern(reader, key, path);
    if (type === '*')
      reader.report(path, `${nameOf(path)} must be a MIME type, a family such as image/*, or "default"`);
    if (entries.has(type)) reader.report(path, `${nameOf(path)} is a duplicate: types are not case-sensitive`);
    entries.set(type, read(value, path));
  }
  return entries;
}

function readByDestination(value: object, path: string[], context: CommandContext): CommandEntry {
  const { reader, mimeTypeFromDestination } = context;
  if (mimeTypeFromDestination) {
    const why = 'is already chosen by destination: mimeTypeFromDestination leaves no use for cmdByDestination';
    reader.report(path, `${nameOf(path)} ${why}`);
  }
  const { cmdByDestination } = reader.map(CommandsByDestinationSchema, value, path);
  const read = (entry: unknown, at: string[]) => readCommand(entry, at, context);
  return { byDestination: readTable(cmdByDestination ?? {}, [...path, 'cmdByDestination'], context, read) };
}

function readCommand(value: unknown, path: string[], context: CommandContext): CommandDefinition {
  const { reader, findProgram } = context;
  const command = reader.map(CommandSchema, value, path);
  const { cmd = '', args = [], contentType, maxMemoryBytes } = command;
  const program = cmd && findProgram(cmd);
  const missing = findMissing(command, path, context);
  for (const { index, message } of problemsInArguments(args)) reader.report([...path, 'args', `${index}`], message);
  if (contentType !== undefined && !(parseMediaType(contentType) && /^[\x20-\x7e]+$/.test(contentType))) {
    const at = [...path, 'contentType'];
    reader.report(at, `${nameOf(at)} must be a MIME type, found "${contentType}"`);
  }
  return {
    key: nameOf(path.slice(1)),
    cmd,
    program: program ?? cmd,
    needs: [...new Set(cmd === '' ? command.requires : [cmd, ...(command.requires ?? [])])],
    missing,
    args,
    env: command.env ?? {},
    allowInsecureArgs: command.allowInsecureArgs ?? false,
    allowedOptions: command.allowedOptions && readOptions(command.allowedOptions, args, path, reader),
    timeoutSeconds: command.timeout ?? DEFAULT_TIMEOUT_S,
    maxOutputBytes: command.maxOutputBytes,
    maxMemoryBytes,
    memoryLimiter: maxMemoryBytes === undefined ? undefined : (findProgram(MEMORY_LIMITER) ?? undefined),
    contentType,
    maxConcurrent: command.maxConcurrent,
  };
}

/** Returns the missing programs of a command, each once. Reports those that may not be missing. */
function findMissing(
  { cmd, requires = [], optional }: Partial<Static<typeof CommandSchema>>,
  path: string[],
  { reader, findProgram, mayLack }: CommandContext,
): string[] {
  const needed = requires.map((name, index) => ({ name, at: ['requires', `${index}`], advice: 'install it' }));
  if (cmd) needed.unshift({ name: cmd, at: ['cmd'], advice: 'install it or name its path' });
  const missing = needed.filter(({ name }) => findProgram(name) === null);
  for (const { name, at, advice } of mayLack || optional ? [] : missing) {
    const where = [...path, ...at];
    reader.report(where, `${nameOf(where)}: there is no program "${name}" on this machine; ${advice}`);
  }
  return [...new Set(missing.map(({ name }) => name))];
}

function readOptions(
  options: Record<string, string | string[]>,
  args: readonly string[],
  path: string[],
  reader: ConfigReader,
): AllowedOptions {
  const at = [...path, 'allowedOptions'];
  if (!args.includes(ARGS)) reader.report(at, `${nameOf(at)} has no effect without ${ARGS} in args`);
  return parseAllowedOptions(options, (option) => {
    const where = [...at, option];
    reader.report(where, `${nameOf(where)} must be ${FORM_NAMES}, found "${options[option]}"`);
  });
}

/** Returns a MIME type, a family or `*` in lower case. Reports anything else. */
export function readPattern(reader: ConfigReader, value: string, path: string[]): string {
  const pattern = value.toLowerCase();
  if (!isMediaTypePattern(pattern)) {
    const hint = pattern === '*/*' ? '; write "*" for any type' : '';
    const message = `${nameOf(path)} must be a MIME type, a family such as image/*, or "*", found "${value}"${hint}`;
    reader.report(path, message);
  }
  return pattern;
}
