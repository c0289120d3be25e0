import { unprocessable } from '../../base/errors.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import type { BaseServices } from '../base-services.ts';
import { type Destination, refusedExtension } from './content-location.ts';
import type { Schemes } from './scheme.ts';

const TOKEN = /\[date:custom:([^\]]*)\]/g;

/** Returns the destination of an upload; undefined if the field's scheme is missing. Throws as `storedName` does. */
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

/** Extensions of files that web servers might run. Uploads are renamed (spec: rest-behaviour, 10.1). */
const DANGEROUS = new Set(['phar', 'php', 'pl', 'py', 'cgi', 'asp', 'js', 'htaccess', 'phtml']);
const MAX_NAME_CHARS = 200;

const failed = (line: string) => unprocessable(`Unprocessable Entity: file validation failed.\n${line}`);

/**
 * Returns the safe name of an upload: `x.php.doc` becomes `x.php_.doc`, and `x.php` becomes `x.php_.txt` if the field
 * allows it. Throws `unprocessable` for an extension that the field does not allow.
 */
function storedName(name: string, { fileExtensions = [] }: Pick<FieldDefinition, 'fileExtensions'>): string {
  const clipped = clip(name.normalize('NFC'));
  const parts = clipped.split('.');
  const last = parts.length > 1 ? (parts.at(-1) as string).toLowerCase() : '';
  const takesAll = fileExtensions.length === 0;
  const refused = refusedExtension(fileExtensions, clipped);
  if (refused !== undefined) throw failed(refused);
  const inner = parts.map((part, index) => {
    const isInner = index > 0 && index < parts.length - 1;
    return isInner && DANGEROUS.has(part.toLowerCase()) ? `${part}_` : part;
  });
  if (!DANGEROUS.has(last)) return inner.join('.');
  if (!takesAll && !fileExtensions.includes('txt'))
    throw failed('For security reasons, your upload has been rejected.');
  return `${inner.join('.')}_.txt`;
}

/** Shortens a name, keeping its extension, to leave room for folder and suffix. */
function clip(name: string): string {
  const characters = [...name];
  if (characters.length <= MAX_NAME_CHARS) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 ? [...name.slice(dot)] : [];
  return [...characters.slice(0, MAX_NAME_CHARS - extension.length), ...extension].slice(0, MAX_NAME_CHARS).join('');
}
