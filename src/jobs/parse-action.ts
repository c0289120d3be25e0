import type { Static } from '@sinclair/typebox';
import { split } from 'shlex';
import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import { parseMediaType } from '../base/media-type.ts';
import { checkDestination } from './check-destination.ts';
import { parsePatterns } from './parse-condition.ts';
import { parseProcessorAddress } from './processor-address.ts';
import type { DerivativeAction, DerivativePlaces, MembersSource } from './rules.ts';
import { ActionSchema, MembersSchema } from './rules-schema.ts';

const DEFAULT_SCHEME = 'public';
const DEFAULT_TIMEOUT_S = 3600;
const DEFAULT_SETTLE_S = 60;
const EMBEDDED = 'embedded';

/** Reads an action. Returns undefined for a dropped built-in one, and for an invalid one, whose problems it reports. */
export function parseAction(
  reader: ConfigReader,
  known: DerivativePlaces,
  name: string,
  value: unknown,
  path: string[],
): DerivativeAction | undefined {
  const file: Partial<Static<typeof ActionSchema>> = reader.map(ActionSchema, value, path);
  const ofMembers = file.of_members === undefined ? undefined : readMembers(reader, file.of_members, path);
  const action: DerivativeAction = {
    name,
    label: file.label ?? '',
    sourceTerm: file.source_term ?? '',
    derivativeTerm: file.derivative_term ?? '',
    sourceMimeTypes: parsePatterns(reader, file.source_mimetypes ?? [], (index) => [
      ...path,
      'source_mimetypes',
      `${index}`,
    ]),
    mimeType: readMimeType(reader, file.mimetype, [...path, 'mimetype']),
    args: readArgs(reader, file.args ?? '', [...path, 'args']),
    mediaType: file.destination_media_type ?? '',
    scheme: file.scheme ?? DEFAULT_SCHEME,
    path: file.path ?? '',
    processor: readProcessor(reader, file.processor, [...path, 'processor']),
    timeoutSeconds: file.timeout ?? DEFAULT_TIMEOUT_S,
    maxBytes: file.maxBytes,
    ofMembers,
  };
  const isComplete = file.destination_media_type !== undefined && file.path !== undefined;
  const hasPlace = isComplete && checkDestination(reader, known, action, path);
  return hasPlace && !reader.hasProblem(path) ? action : undefined;
}

function readMimeType(reader: ConfigReader, value: string | undefined, path: string[]): string {
  if (value === undefined) return '';
  const mimeType = value.toLowerCase();
  if (parseMediaType(mimeType) !== mimeType)
    reader.report(path, `${nameOf(path)} must be a MIME type, found "${value}"`);
  return mimeType;
}

function readArgs(reader: ConfigReader, args: string, path: string[]): string {
  try {
    split(args);
  } catch {
    reader.report(path, `${nameOf(path)} has an unbalanced quote or ends in a backslash`);
  }
  return args;
}

function readProcessor(
  reader: ConfigReader,
  value: string | readonly string[] | undefined,
  path: string[],
): DerivativeAction['processor'] {
  if (value === undefined || value === EMBEDDED) return value;
  if (typeof value !== 'string')
    return value.flatMap((each, index) => readAddress(reader, each, [...path, `${index}`]));
  return readAddress(reader, value, path, `${EMBEDDED}, or `);
}

function readAddress(reader: ConfigReader, value: string, path: string[], also = ''): string[] {
  try {
    return [parseProcessorAddress(value)];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    reader.report(path, `${nameOf(path)} ${error.message.replace('must be ', `must be ${also}`)}`);
    return [];
  }
}

function readMembers(reader: ConfigReader, value: unknown, actionPath: string[]): MembersSource {
  const file = reader.map(MembersSchema, value, [...actionPath, 'of_members']);
  return { parentTerms: file.parent_has_term ?? [], settleSeconds: file.settle ?? DEFAULT_SETTLE_S };
}
