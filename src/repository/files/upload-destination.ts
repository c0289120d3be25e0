import type { FieldDefinition } from '../../model/content-model.ts';
import type { BaseServices } from '../base-services.ts';
import type { Destination } from './content-location.ts';
import type { Schemes } from './scheme.ts';
import { storedName } from './stored-name.ts';

const TOKEN = /\[date:custom:([^\]]*)\]/g;

/**
 * Returns where an upload for a field is stored; undefined if the configuration lacks the field's scheme. Throws as
 * `storedName` does.
 */
export function uploadDestination(
  { schemes, now }: Schemes & Pick<BaseServices, 'now'>,
  definition: FieldDefinition,
  name: string,
): Destination | undefined {
  const filename = storedName(name, definition);
  const scheme = schemes.get(definition.uriScheme ?? 'public');
  if (scheme === undefined) return undefined;
  const folder = uploadDirectory(definition.fileDirectory ?? '', now());
  return { uri: `${scheme.name}://${folder === '' ? '' : `${folder}/`}${filename}`, filename, scheme };
}

/** Returns the folder of an upload: `[date:custom:Y]-[date:custom:m]` at a time in seconds since 1970, as `2026-11`. */
function uploadDirectory(pattern: string, seconds: number): string {
  const iso = new Date(seconds * 1000).toISOString();
  const [year, month, day] = [iso.slice(0, 4), iso.slice(5, 7), iso.slice(8, 10)] as const;
  const letters: Record<string, string> = { Y: year, y: year.slice(2), m: month, d: day };
  return pattern
    .replaceAll(TOKEN, (_token, format: string) =>
      format.replaceAll(/[A-Za-z]/g, (letter) => letters[letter] ?? letter),
    )
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..')
    .join('/');
}
