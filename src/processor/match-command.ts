import { malformed, ServiceError } from '../base/errors.ts';
import { familyOf, matchesMediaType } from '../base/media-type.ts';
import type { CommandDefinition, CommandTable, ProcessorConfig } from './config.ts';

/** Throws `malformed` for a source type that `allowedMimeTypes` does not list (processing rule 3). */
export function requireAllowedType(mediaType: string, allowed: readonly string[]): void {
  if (allowed.some((pattern) => matchesMediaType(pattern, mediaType))) return;
  throw malformed(`Files of the MIME type ${mediaType} are not allowed here.`);
}

/** The entry for a type in priority order: the exact type, its family, `default` (processing rule 4). */
export function lookUpType<Entry>(table: CommandTable<Entry>, mediaType: string | undefined): Entry | undefined {
  if (mediaType === undefined) return table.get('default');
  return table.get(mediaType) ?? table.get(familyOf(mediaType)) ?? table.get('default');
}

/**
 * The command for a file: by its source type, or by the destination type where
 * `mimeTypeFromDestination` says so; then, in an entry with `cmdByDestination`, by the destination.
 * Throws `misconfigured` where the configuration has no command, or one whose program is missing (the
 * next best entry might do what this one was there to avoid), and `malformed` where it has one
 * for some destination but the request names none.
 */
export function chooseCommand(
  config: Pick<ProcessorConfig, 'commands' | 'mimeTypeFromDestination'>,
  sourceType: string,
  destinationType: string | undefined,
): CommandDefinition {
  const entry = lookUpType(config.commands, config.mimeTypeFromDestination ? destinationType : sourceType);
  const command = entry && 'byDestination' in entry ? lookUpType(entry.byDestination, destinationType) : entry;
  if (command !== undefined && !command.isMissing) return command;
  const dependsOnDestination = config.mimeTypeFromDestination || entry !== undefined;
  if (dependsOnDestination && destinationType === undefined && command === undefined) {
    throw malformed('The Accept header must name the MIME type to make.');
  }
  const wanted = dependsOnDestination && destinationType !== undefined ? destinationType : 'something';
  const cause = command && new Error(`there is no program "${command.cmd}" on this machine`);
  throw new ServiceError('misconfigured', `No command is configured that makes ${wanted} from ${sourceType}.`, {
    cause,
  });
}
