import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import type { Busboy, BusboyHeaders } from '@fastify/busboy';
import { malformed, ServiceError } from '../base/errors.ts';
import { parseMediaType } from '../base/media-type.ts';

export const MULTIPART_TYPE = 'multipart/form-data';
const MAX_FIELDS = 1_000;
const MAX_FILES = 1_000;
const MAX_FIELD_BYTES = 1024 * 1024;
/** The maximum of all fields together, whose reader may keep them all. */
const MAX_FIELDS_CHARS = 16 * 1024 * 1024;

/** A field of a form with files. */
interface FieldPart {
  readonly name: string;
  readonly value: string;
}

/** A file of a form. Its bytes arrive while they are read; those that are left are skipped. */
export interface FilePart {
  readonly name: string;
  /** The name of the file without folders. */
  readonly fileName: string;
  readonly type: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export type FormPart = FieldPart | FilePart;

export function isFile(part: FormPart): part is FilePart {
  return 'bytes' in part;
}

/** Returns true if the body of a request is that of a form with files. */
export function isMultipart({ headers }: Request): boolean {
  return parseMediaType(headers.get('content-type') ?? '') === MULTIPART_TYPE;
}

/**
 * Reads the parts of a form in their order, with bounded memory (RFC 7578). Throws `unsupported-media-type` for another body,
 * `malformed` for an invalid or truncated one, and `too-large` for too long or too many fields.
 */
export async function* readMultipart(request: Request): AsyncGenerator<FormPart> {
  if (!isMultipart(request) || request.body === null)
    throw new ServiceError('unsupported-media-type', `The body must be a form of the type ${MULTIPART_TYPE}.`);
  const parts = new PassThrough({ objectMode: true, highWaterMark: 1 });
  const parser = await createParser(request, parts);
  // The types of Node and of the Web describe the same streams.
  const body = Readable.fromWeb(request.body as unknown as NodeReadableStream);
  // Ends the parser, too, which waits for the reader of a file.
  const control = new AbortController();
  const parsing = pipeline(body, parser, { signal: control.signal }).then(
    () => parts.end(),
    (error: unknown) => parts.destroy(asFailure(error)),
  );
  try {
    for await (const part of parts as AsyncIterable<FormPart & { bytes?: Readable }>) {
      yield part;
      part.bytes?.resume();
    }
  } finally {
    control.abort();
    parts.destroy();
    await parsing;
  }
}

async function createParser(request: Request, parts: PassThrough): Promise<Busboy> {
  const library = await import('@fastify/busboy');
  const headers = Object.fromEntries(request.headers) as Record<string, string> as BusboyHeaders;
  let parser: Busboy;
  try {
    const limits = { fieldSize: MAX_FIELD_BYTES, fields: MAX_FIELDS, files: MAX_FILES };
    parser = new library.Busboy({ headers, limits });
  } catch (error) {
    throw malformed('The Content-Type of the form has no valid boundary.', error);
  }
  const tooLarge = (message: string) => parts.destroy(new ServiceError('too-large', message));
  let chars = 0;
  parser.on('field', (name, value, _isNameTruncated, isTruncated) => {
    chars += name.length + value.length;
    if (chars > MAX_FIELDS_CHARS) return tooLarge(`The fields have more than ${MAX_FIELDS_CHARS} characters.`);
    if (isTruncated) tooLarge(`The field "${name.slice(0, 100)}" has more than ${MAX_FIELD_BYTES} bytes.`);
    else parts.write({ name, value });
  });
  parser.on('file', (name, bytes, fileName, _encoding, type) => {
    parts.write({ name, fileName: fileName ?? '', type: parseMediaType(type) ?? '', bytes });
  });
  parser.on('fieldsLimit', () => tooLarge(`The form has more than ${MAX_FIELDS} fields.`));
  parser.on('filesLimit', () => tooLarge(`The form has more than ${MAX_FILES} files.`));
  return parser;
}

function asFailure(error: unknown): Error {
  if (error instanceof ServiceError) return error;
  return malformed('The form ended before it was complete, or is malformed.', error);
}
