import { malformed, ServiceError } from '../base/errors.ts';
import { familyOf, matchesMediaType, parseMediaType } from '../base/media-type.ts';
import { usualType } from '../base/usual-type.ts';
import type { CommandDefinition, CommandTable } from './config/commands.ts';
import type { ProcessorConfig } from './config/config.ts';

/** Throws `malformed` for a source type that `allowedMimeTypes` does not list. */
export function requireAllowedType(mediaType: string, allowed: readonly string[]): void {
  if (isAllowedType(mediaType, allowed)) return;
  throw malformed(`Files of the MIME type ${mediaType} are not allowed here.`);
}

function isAllowedType(mediaType: string, allowed: readonly string[]): boolean {
  return allowed.some((pattern) => matchesMediaType(pattern, mediaType));
}

/** Returns the entry for a type in priority order: the exact type, its usual name, their families, `default`. */
export function lookUpType<Entry>(table: CommandTable<Entry>, mediaType: string | undefined): Entry | undefined {
  if (mediaType === undefined) return table.get('default');
  const usual = usualType(mediaType);
  return (
    table.get(mediaType) ??
    table.get(usual) ??
    table.get(familyOf(mediaType)) ??
    table.get(familyOf(usual)) ??
    table.get('default')
  );
}

/** The settings that determine the choice of a command. */
type Choice = Pick<ProcessorConfig, 'commands' | 'mimeTypeFromDestination'>;

/** Returns the entry for a file and its command; undefined if there is none. */
function findCommand(
  { commands, mimeTypeFromDestination }: Choice,
  sourceType: string | undefined,
  to: string | undefined,
) {
  const entry = lookUpType(commands, mimeTypeFromDestination ? to : sourceType);
  return { entry, command: entry && 'byDestination' in entry ? lookUpType(entry.byDestination, to) : entry };
}

/**
 * Returns the missing programs of the command for these types. Empty if none is missing, and if there is no such command:
 * the request then fails with the reason.
 */
export function missingFor(
  config: Choice & Pick<ProcessorConfig, 'allowedMimeTypes'>,
  sourceType: string,
  destinationType: string,
): readonly string[] {
  const from = parseMediaType(sourceType);
  if (from === undefined || !isAllowedType(from, config.allowedMimeTypes)) return [];
  return findCommand(config, from, parseMediaType(destinationType)).command?.missing ?? [];
}

/**
 * Returns true if there is a command for exactly this destination type, and none of its programs is missing. A command for
 * a family of types would not know the options.
 */
export function hasCommand(
  config: Choice & Pick<ProcessorConfig, 'allowedMimeTypes'>,
  sourceType: string,
  destinationType: string,
): boolean {
  if (!isAllowedType(sourceType, config.allowedMimeTypes)) return false;
  const { entry } = findCommand(config, sourceType, destinationType);
  const command = entry && 'byDestination' in entry ? entry.byDestination.get(destinationType) : undefined;
  return command?.missing.length === 0;
}

/**
 * Returns the command for a file: by its source type (`default` without one), or by the destination type with
 * `mimeTypeFromDestination`; then, in an entry with `cmdByDestination`, by the destination. Throws `misconfigured` if there
 * is no command or its program is missing: the next entry could do what this one avoids. Throws `malformed` if the command
 * depends on the destination and the request names none.
 */
export function chooseCommand(
  config: Choice,
  sourceType: string | undefined,
  destinationType: string | undefined,
): CommandDefinition {
  const { entry, command } = findCommand(config, sourceType, destinationType);
  if (command?.missing.length === 0) return command;
  const dependsOnDestination = config.mimeTypeFromDestination || entry !== undefined;
  if (dependsOnDestination && destinationType === undefined && command === undefined) {
    throw malformed('The Accept header must name the MIME type to make.');
  }
  const wanted = dependsOnDestination && destinationType !== undefined ? destinationType : 'something';
  const cause = command && new Error(`this machine lacks ${command.missing.join(', ')}`);
  const from = sourceType ?? 'a request without a file';
  throw new ServiceError('misconfigured', `No command is configured that makes ${wanted} from ${from}.`, { cause });
}
