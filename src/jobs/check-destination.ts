import { nameOf } from '../base/check-shape.ts';
import { nearest } from '../base/nearest.ts';
import type { MediaType } from '../model/content-model.ts';
import type { Reading } from '../model/reading.ts';
import { FILENAME_TOKEN, PATH_TOKENS } from './file-path.ts';
import type { DerivativeAction, KnownPlaces } from './rules.ts';

/** Members that say where a derivative goes: an action that has them all from the default file is not the user's doing. */
const PLACE = ['destination_media_type', 'scheme', 'path'] as const;

type Place = (typeof PLACE)[number];

const NO_OWN_FOLDER =
  'must begin with a folder of its own, such as "derivatives/", as what has derivative_term is a source, too';

/**
 * Whether the repository has a place for what an action makes. Reports all that is against it, unless it is a built-in
 * action: it then goes with the media type that the user's content model took away or changed.
 */
export function checkDestination(
  reading: Reading,
  { mediaTypes, schemes }: KnownPlaces,
  action: DerivativeAction,
  path: string[],
): boolean {
  const isBuiltIn = PLACE.every((member) => reading.isBuiltIn([...path, member]));
  // Each is asked, for whoever has made two mistakes is told of both.
  return [checkMediaType(), checkScheme(), checkPath()].every(Boolean);

  function checkMediaType(): boolean {
    const mediaType = mediaTypes.get(action.mediaType);
    if (mediaType === undefined)
      return unknown('destination_media_type', 'media type', action.mediaType, mediaTypes.keys());
    const isFile = mediaType.sourceField.targetType === 'file';
    return isFile || fail('destination_media_type', `cannot be ${mediaType.name}, whose source is no file`);
  }

  function checkScheme(): boolean {
    return schemes.has(action.scheme) || unknown('scheme', 'scheme', action.scheme, schemes);
  }

  function checkPath(): boolean {
    const mistake = mistakeInPath(action) ?? mistakeInExtension(action.path, mediaTypes.get(action.mediaType));
    return mistake === undefined || fail('path', mistake);
  }

  function unknown(member: Place, what: string, name: string, known: Iterable<string>): false {
    if (!isBuiltIn) reading.reportUnknown([...path, member], what, name, known);
    return false;
  }

  function fail(member: Place, message: string): false {
    if (!isBuiltIn) reading.report([...path, member], `${nameOf([...path, member])} ${message}`);
    return false;
  }
}

function mistakeInPath({ path, ofMembers, sourceTerm, derivativeTerm }: DerivativeAction): string | undefined {
  const unknown = (path.match(/\[[^\]]*\]?/g) ?? []).find((token) => !PATH_TOKENS.includes(token));
  if (unknown !== undefined) {
    const guess = nearest(unknown, PATH_TOKENS);
    return `has the unknown token ${unknown}; ${guess ? `did you mean ${guess}?` : `there are: ${PATH_TOKENS.join(', ')}`}`;
  }
  if (ofMembers !== undefined && path.includes(FILENAME_TOKEN))
    return `cannot have ${FILENAME_TOKEN}: what is made of all members has no one source file`;
  const isPath = path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a path must not have.
  if (isPath && !/[\\\u0000-\u001f\u007f]/.test(path)) return hasOwnFolder() ? undefined : NO_OWN_FOLDER;
  return `must be a path below the scheme, without a slash at either end, ".." or "\\", found ${JSON.stringify(path)}`;

  /** By its folder is known what an action has made that makes originals: it replaces no others. */
  function hasOwnFolder(): boolean {
    return ofMembers === undefined || derivativeTerm !== sourceTerm || /^[^[]*\//.test(path);
  }
}

function mistakeInExtension(path: string, mediaType: MediaType | undefined): string | undefined {
  const allowed = mediaType?.sourceField.fileExtensions ?? [];
  const extension = /[^/]\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase();
  if (allowed.length === 0 || (extension !== undefined && allowed.includes(extension))) return undefined;
  const found = extension === undefined ? 'none' : `.${extension}`;
  return `must have an extension that ${mediaType?.name} takes (${allowed.join(', ')}), found ${found}`;
}
