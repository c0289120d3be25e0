import { malformed, ServiceError } from '../../base/errors.ts';
import { parseMediaType } from '../../base/media-type.ts';
import type { UploadRow } from '../../database/schema/uploads.ts';
import { baseName, hasControls } from '../../http/content-disposition.ts';
import { formatHttpDate } from '../../http/preconditions.ts';
import type { NewUpload } from '../../repository/uploads/create-upload.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { empty } from '../../web/respond.ts';

/** The headers of tus 1.0.0 (https://tus.io/protocols/resumable-upload). */

const VERSION = '1.0.0';
const EXTENSIONS = 'creation,creation-with-upload,termination,expiration';
/** Maximum length of `Upload-Metadata` in characters: answers repeat it, and proxies reject response heads of more than 4 KiB. */
const MAX_METADATA_CHARS = 2_000;
/** The name of a file without a name in `Upload-Metadata`. */
const UNNAMED = 'upload';
/** The Content-Type of the bytes of an upload. */
export const PART_TYPE = 'application/offset+octet-stream';

/** Returns the headers of the answer to OPTIONS. */
export function tusOptions({ maxUploadBytes }: ApiServices): Record<string, string> {
  const limit: Record<string, string> = maxUploadBytes === undefined ? {} : { 'Tus-Max-Size': String(maxUploadBytes) };
  return { 'Tus-Resumable': VERSION, 'Tus-Version': VERSION, 'Tus-Extension': EXTENSIONS, ...limit };
}

/** Returns an answer of the protocol. */
export function tusAnswer(status: number, headers: Record<string, string>): Response {
  return empty(status, { 'Tus-Resumable': VERSION, 'Cache-Control': 'no-store', ...headers });
}

/**
 * Runs a handler of the protocol. Throws `precondition-failed` for another version than ours. `isOptional` allows requests
 * without a version.
 */
export async function inTus(
  request: Request,
  work: () => Promise<Response>,
  { isOptional = false } = {},
): Promise<Response> {
  const version = request.headers.get('tus-resumable');
  try {
    if (version !== VERSION && !(version === null && isOptional))
      throw new ServiceError('precondition-failed', `The header Tus-Resumable must be ${VERSION}.`, {
        headers: { 'Tus-Version': VERSION },
      });
    return await work();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { kind, publicMessage, headers } = error;
    throw new ServiceError(kind, publicMessage, {
      cause: error.cause ?? error,
      headers: { 'Tus-Resumable': VERSION, ...headers },
    });
  }
}

/** Returns the headers that tell how far an upload is. */
export function stateHeaders({ received, bytes, expires, metadata }: UploadRow): Record<string, string> {
  return {
    ...(metadata !== null && { 'Upload-Metadata': metadata }),
    'Upload-Offset': String(received),
    'Upload-Length': String(bytes),
    'Upload-Expires': formatHttpDate(new Date(expires * 1_000)),
  };
}

/** Reads `Upload-Offset`. Throws `malformed` if it is missing or no number. */
export function readOffset({ headers }: Request): number {
  return readCount(headers, 'Upload-Offset');
}

/** Reads the length, name and type of a new upload. Throws `malformed` for invalid ones, and without a length. */
export function readNewUpload({ headers }: Request): NewUpload {
  if (headers.has('upload-concat'))
    throw malformed('Upload-Concat is not supported: send the whole file in one upload.');
  if (headers.has('upload-defer-length'))
    throw malformed('Upload-Defer-Length is not supported: send the length of the file in Upload-Length.');
  const bytes = readCount(headers, 'Upload-Length');
  const sent = headers.get('upload-metadata')?.trim() || null;
  const metadata = readMetadata(sent ?? '');
  const filename = readFilename(metadata.get('filename') ?? metadata.get('name') ?? '') || UNNAMED;
  const claimed = metadata.get('filetype') ?? metadata.get('type') ?? '';
  return { bytes, filename, filemime: parseMediaType(claimed) ?? 'application/octet-stream', metadata: sent };
}

/** Returns the name of a file without the folders of the client. Throws `malformed` for control characters. */
export function readFilename(name: string): string {
  const filename = baseName(name).trim();
  if (hasControls(filename)) throw malformed('The name of the file must not contain control characters.');
  return filename;
}

function readCount(headers: Headers, name: string): number {
  const text = headers.get(name);
  if (text === null) throw malformed(`The header ${name} is missing.`);
  if (!/^\d{1,15}$/.test(text)) throw malformed(`The header ${name} must be a number of bytes.`);
  return Number(text);
}

/** Reads `Upload-Metadata`: keys with base64, between commas. Throws `malformed` for anything else. */
function readMetadata(header: string): ReadonlyMap<string, string> {
  if (header.length > MAX_METADATA_CHARS)
    throw malformed(`The header Upload-Metadata must have at most ${MAX_METADATA_CHARS} characters.`);
  const entries = header
    .split(',')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '')
    .map((pair): [string, string] => {
      const [key = '', value = '', ...more] = pair.split(/ +/);
      if (more.length > 0 || !/^[\x21-\x7e]+$/.test(key) || !/^[A-Za-z0-9+/]*={0,2}$/.test(value))
        throw malformed('The header Upload-Metadata must contain pairs of a key and base64, separated by commas.');
      return [key, Buffer.from(value, 'base64').toString('utf8').toWellFormed()];
    });
  return new Map(entries);
}
