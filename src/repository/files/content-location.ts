import { CONVERT_SUBRIP } from '../../base/captions.ts';
import { malformed } from '../../base/errors.ts';
import { hasControls } from '../../http/content-disposition.ts';
import { decodeHeaderText } from '../../http/header-text.ts';
import { MAX_URI_CHARS } from './free-uri.ts';
import type { Scheme, Schemes } from './scheme.ts';

/** The location of a new file. */
export interface Destination {
  readonly uri: string;
  readonly filename: string;
  readonly scheme: Scheme;
}

const STREAM_URI = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is;

/** Reads `Content-Location` (spec: rest-behaviour, 5.1 step 5). Throws `malformed` with the messages of the API. */
export function parseContentLocation(services: Schemes, header: string | null): Destination {
  if (header === null || header.trim() === '') throw malformed('Missing Content-Location header');
  return parseDestination(services, decodeHeaderText(header.trim()));
}

/** Reads a stream URI such as `public://2026-11/page.png`. Throws as `parseContentLocation` does. */
export function parseDestination(services: Schemes, text: string): Destination {
  const uri = text.normalize('NFC');
  if (hasControls(uri)) throw malformed('Invalid Content-Location header');
  const [, name, path] = STREAM_URI.exec(uri) ?? [];
  const scheme = services.schemes.get(name ?? '');
  if (scheme === undefined || path === undefined) {
    const known = [...services.schemes.keys()].map((each) => `${each}://`).join(', ');
    throw malformed(`Content-Location must be a valid stream wrapper URI (${known})`);
  }
  const segments = path.split('/');
  const filename = segments.at(-1) as string;
  if (filename === '') throw malformed('Content-Location must include a filename');
  if (path.includes('\\') || segments.some((segment) => segment === '' || segment === '.' || segment === '..'))
    throw malformed('Content-Location must not contain path traversal segments');
  if ([...uri].length > MAX_URI_CHARS)
    throw malformed(`Content-Location must not be longer than ${MAX_URI_CHARS} characters`);
  return { uri, filename, scheme };
}

/** Throws `malformed` for a name whose extension a field does not allow (spec: rest-behaviour, 5.1 step 8). */
export function checkExtension(filename: string, allowed: readonly string[] | undefined): void {
  if (allowsExtension(allowed, filename)) return;
  throw malformed(`Invalid file extension.  Valid types are ${allowed?.join(' ')}`);
}

/**
 * Returns why a field does not accept the extension of a name, with what to do with captions in another format. Undefined if
 * it does.
 */
export function refusedExtension(allowed: readonly string[] | undefined, filename: string): string | undefined {
  if (allowsExtension(allowed, filename)) return undefined;
  const reason = `Only files with the following extensions are allowed: ${allowed?.join(' ')}.`;
  return allowed?.includes('vtt') && /\.srt$/i.test(filename) ? `${reason} ${CONVERT_SUBRIP}` : reason;
}

/** Returns true if the extension is one of `allowed` (lower case, without the dot). No list allows all extensions. */
export function allowsExtension(allowed: readonly string[] | undefined, filename: string): boolean {
  if (allowed === undefined || allowed.length === 0) return true;
  const dot = filename.lastIndexOf('.');
  return dot >= 0 && allowed.includes(filename.slice(dot + 1).toLowerCase());
}
