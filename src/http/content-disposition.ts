import { create } from 'content-disposition';
import { malformed } from '../base/errors.ts';
import { decodeHeaderText } from './header-text.ts';

const WANTED = 'A file name in the format "filename=FILENAME" must be provided.';
const PARAMETER = /(?:^|;)[ \t]*([^\s;="]+)[ \t]*(?:=[ \t]*("(?:[^"\\]|\\.)*"|[^;]*))?/g;
/** Percent-encoded UTF-8 after an optional language (RFC 8187). */
const EXTENDED = /^utf-8'[\w-]*'((?:[\w!#$&+.^`|~*'()-]|%[0-9a-f]{2})+)$/i;

/**
 * Returns the `Content-Disposition` of a response (RFC 6266): `filename`, and `filename*` for a name beyond ASCII. Omits
 * folders.
 */
export function contentDisposition(type: 'inline' | 'attachment', fileName: string): string {
  const name = withoutDisguise(baseName(fileName.toWellFormed()));
  return name === '' ? type : create(name, { type });
}

/**
 * Returns the name of an uploaded file from the `Content-Disposition` of its request, without folders. A valid
 * `filename*=UTF-8''…`, in which loaders send `+` for a space, takes precedence over `filename="…"`, in which quotes need
 * not be escaped. Throws `malformed` with the messages of the specification (rest-behaviour, 10.1).
 */
export function parseUploadName(header: string | null | undefined): string {
  if (header === null || header === undefined) throw malformed(`"Content-Disposition" header is required. ${WANTED}`);
  let quoted: string | undefined;
  let extended: string | undefined;
  let isExtendedQuoted = false;
  const text = decodeHeaderText(header);
  for (const { 0: whole, 1: name, 2: value = '', index } of text.matchAll(PARAMETER)) {
    if (name?.toLowerCase() === 'filename') quoted ??= unquote(toItsEnd(value, text.slice(index + whole.length)));
    if (name?.toLowerCase() === 'filename*') {
      extended ??= decodeExtended(value.trim());
      isExtendedQuoted ||= value.startsWith('"');
    }
  }
  const filename = baseName(extended ?? '') || baseName(quoted ?? '');
  if (filename === '' && isExtendedQuoted) {
    throw malformed('The extended "filename*" format is currently not supported in the "Content-Disposition" header.');
  }
  if (filename === '') throw malformed(`No filename found in "Content-Disposition" header. ${WANTED}`);
  if (hasControls(filename)) {
    throw malformed('The file name in the "Content-Disposition" header must not contain control characters.');
  }
  return filename;
}

/**
 * Returns a value up to its closing quote. Loaders do not escape quotes in a name: in `"a "b".jpg"` the closing quote is the
 * one before `;` or at the end.
 */
function toItsEnd(value: string, rest: string): string {
  if (!value.startsWith('"') || /^[ \t]*(?:;|$)/.test(rest)) return value;
  return value + rest.slice(0, rest.search(/"[ \t]*(?:;|$)/) + 1);
}

/** Returns the text between quotes. Undefined without quotes. Keeps `\` between folders. */
function unquote(value: string): string | undefined {
  if (!value.startsWith('"') || !value.endsWith('"') || value.length < 2) return undefined;
  return value.slice(1, -1).replaceAll(/\\(["\\])/g, '$1');
}

function decodeExtended(value: string): string | undefined {
  const [, encoded] = EXTENDED.exec(value) ?? [];
  if (encoded === undefined) return undefined;
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '));
  } catch (error) {
    // Not UTF-8: `filename` may still be valid.
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/** Returns the last part of a path with `/` or `\`. Empty for a folder. */
export function baseName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return name === '.' || name === '..' ? '' : name;
}

/** Returns true if a name has control characters, such as NUL or a line break. */
export function hasControls(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters
  return /[\x00-\x1f\x7f-\x9f]/.test(name);
}

/** Removes control characters, and marks that change the direction of text and so can disguise an extension. */
function withoutDisguise(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters
  return name.replaceAll(/[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
}
