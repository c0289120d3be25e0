import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import { nearest } from '../base/nearest.ts';
import type { MediaType } from '../model/content-model.ts';
import { FILENAME_TOKEN, PATH_TOKENS } from './file-path.ts';
import type { DerivativeAction, DerivativePlaces } from './rules.ts';

/** Members that define the destination: an action that has them all from the default file is not changed by the user. */
const PLACE = ['destination_media_type', 'scheme', 'path'] as const;

type Place = (typeof PLACE)[number];

const NO_OWN_FOLDER =
  'must begin with a folder of its own, such as "derivatives/", since derivative_term is also source_term';

/**
 * Returns whether the repository can store the derivatives of an action. Reports every problem, except for a built-in
 * action: it is dropped together with the media type that the user's content model removes or changes.
 */
export function checkDestination(
  reader: ConfigReader,
  { mediaTypes, schemes }: DerivativePlaces,
  action: DerivativeAction,
  path: string[],
): boolean {
  const isBuiltIn = PLACE.every((member) => reader.isBuiltIn([...path, member]));
  // Runs all three checks, so that every problem is reported.
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
    const problem = problemOfPath(action) ?? problemOfExtension(action.path, mediaTypes.get(action.mediaType));
    return problem === undefined || fail('path', problem);
  }

  function unknown(member: Place, what: string, name: string, known: Iterable<string>): false {
    if (!isBuiltIn) reader.reportUnknown([...path, member], what, name, known);
    return false;
  }

  function fail(member: Place, message: string): false {
    if (!isBuiltIn) reader.report([...path, member], `${nameOf([...path, member])} ${message}`);
    return false;
  }
}

function problemOfPath({ path, ofMembers, sourceTerm, derivativeTerm }: DerivativeAction): string | undefined {
  const unknown = (path.match(/\[[^\]]*\]?/g) ?? []).find((token) => !PATH_TOKENS.includes(token));
  if (unknown !== undefined) {
    const guess = nearest(unknown, PATH_TOKENS);
    return `has the unknown token ${unknown}; ${guess ? `did you mean ${guess}?` : `there are: ${PATH_TOKENS.join(', ')}`}`;
  }
  if (ofMembers !== undefined && path.includes(FILENAME_TOKEN))
    return `cannot have ${FILENAME_TOKEN}: a derivative of all members has no single source file`;
  const isPath = path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a path must not contain them.
  if (isPath && !/[\\\u0000-\u001f\u007f]/.test(path)) return hasOwnFolder() ? undefined : NO_OWN_FOLDER;
  return `must be a path below the scheme, without a slash at either end, ".." or "\\", found ${JSON.stringify(path)}`;

  /** An action that creates originals recognizes its own results by their folder, and replaces no others. */
  function hasOwnFolder(): boolean {
    return ofMembers === undefined || derivativeTerm !== sourceTerm || /^[^[]*\//.test(path);
  }
}

function problemOfExtension(path: string, mediaType: MediaType | undefined): string | undefined {
  const allowed = mediaType?.sourceField.fileExtensions ?? [];
  const extension = /[^/]\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase();
  if (allowed.length === 0 || (extension !== undefined && allowed.includes(extension))) return undefined;
  const actual = extension === undefined ? 'none' : `.${extension}`;
  return `must have an extension that ${mediaType?.name} allows (${allowed.join(', ')}), found ${actual}`;
}
