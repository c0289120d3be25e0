import { create } from 'content-disposition';
import { malformed } from '../base/errors.ts';
import { baseName, hasControls, withoutDisguise } from './file-name.ts';
import { decodeHeaderText } from './header-text.ts';

const WANTED = 'A file name in the format "filename=FILENAME" must be provided.';
const PARAMETER = /(?:^|;)[ \t]*([^\s;="]+)[ \t]*(?:=[ \t]*("(?:[^"\\]|\\.)*"|[^;]*))?/g;
/** RFC 8187: percent-encoded UTF-8 behind a language that nobody gives. */
const EXTENDED = /^utf-8'[\w-]*'((?:[\w!#$&+.^`|~*'()-]|%[0-9a-f]{2})+)$/i;

/**
 * A `Content-Disposition` for an answer (RFC 6266): `filename` for every client, `filename*` where the name is
 * more than ASCII. Only the last part of a path is named.
 */
export function contentDisposition(type: 'inline' | 'attachment', fileName: string): string {
  const name = withoutDisguise(baseName(fileName.toWellFormed()));
  return name === '' ? type : create(name, { type });
}

/**
 * The name of an uploaded file from the `Content-Disposition` of its request, without folders. A well-formed
 * `filename*=UTF-8''…` comes first, form-quoted (`+` for a space) as loaders of the field send it, then
 * `filename="…"`, in which quotes need not be escaped. Throws `malformed` in the words of the original server
 * (spec: rest-behaviour, 10.1).
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
  const found = baseName(extended ?? '') || baseName(quoted ?? '');
  if (found === '' && isExtendedQuoted) {
    throw malformed('The extended "filename*" format is currently not supported in the "Content-Disposition" header.');
  }
  if (found === '') throw malformed(`No filename found in "Content-Disposition" header. ${WANTED}`);
  if (hasControls(found)) {
    throw malformed('The file name in the "Content-Disposition" header must not contain control characters.');
  }
  return found;
}

/**
 * A value with what follows up to its end. Loaders escape no quote of a name: `"a "b".jpg"` ends where a quote is followed
 * by `;` or by nothing.
 */
function toItsEnd(value: string, rest: string): string {
  if (!value.startsWith('"') || /^[ \t]*(?:;|$)/.test(rest)) return value;
  return value + rest.slice(0, rest.search(/"[ \t]*(?:;|$)/) + 1);
}

/** The text between quotes; undefined without them. `\` stays where it separates folders. */
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
    // Percent-encoded, but no UTF-8: `filename` may still be good.
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
