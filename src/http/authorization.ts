/** Maximum number of characters of credentials. */
const MAX_CREDENTIALS_CHARS = 16 * 1024;

/** The credentials of a request. `invalid` stands for credentials that cannot be parsed. */
export type Credentials =
  | { type: 'none' }
  | { type: 'basic'; name: string; password: string }
  | { type: 'bearer'; token: string }
  | { type: 'invalid'; scheme: string };

/**
 * Parses the credentials of a request without verifying them. `JWT-Authorization: Bearer …` (spec: rest-behaviour, 8.1)
 * takes precedence over `Authorization`, which a proxy may use for itself. Never throws.
 */
export function readCredentials(headers: Headers): Credentials {
  const jwtAuthorization = headers.get('jwt-authorization')?.trim();
  if (jwtAuthorization) {
    const { scheme, value } = splitScheme(jwtAuthorization);
    return scheme === 'bearer' ? readBearer(value) : { type: 'invalid', scheme: 'bearer' };
  }
  const authorization = headers.get('authorization')?.trim();
  if (!authorization) return { type: 'none' };
  const { scheme, value } = splitScheme(authorization);
  if (scheme === 'basic') return readBasic(value);
  if (scheme === 'bearer') return readBearer(value);
  return { type: 'invalid', scheme };
}

/**
 * Returns the token of an `Authorization: Bearer …` value (RFC 6750, 2.1; the scheme is case-insensitive) without
 * verifying it. Undefined for a missing value and for other schemes.
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  return authorization?.match(/^bearer +(\S.*)$/i)?.[1]?.trimEnd();
}

function splitScheme(header: string): { scheme: string; value: string } {
  const end = header.search(/\s/);
  const scheme = (end < 0 ? header : header.slice(0, end)).toLowerCase();
  const value = end < 0 ? '' : header.slice(end).trim();
  const isNameable =
    scheme === 'basic' || scheme === 'bearer' || (value !== '' && /^[a-z][a-z0-9-]{0,19}$/.test(scheme));
  // A single word may be a token or a password, which messages and logs must not show.
  return { scheme: isNameable ? scheme : 'unknown', value };
}

function readBearer(token: string): Credentials {
  const isToken = token.length <= MAX_CREDENTIALS_CHARS && /^[A-Za-z0-9\-._~+/]+=*$/.test(token);
  return isToken ? { type: 'bearer', token } : { type: 'invalid', scheme: 'bearer' };
}

/** Parses base64 of a name without colon, a colon and a password, without control characters (RFC 7617, 2). */
function readBasic(encoded: string): Credentials {
  const invalid: Credentials = { type: 'invalid', scheme: 'basic' };
  if (encoded.length > MAX_CREDENTIALS_CHARS || !isBase64(encoded)) return invalid;
  const text = decodeText(Buffer.from(encoded, 'base64'));
  const colon = text.indexOf(':');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters.
  if (colon < 1 || /[\u0000-\u001f\u007f]/.test(text)) return invalid;
  return { type: 'basic', name: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Padding is optional. A single last character is invalid: it has only six bits of a byte. */
function isBase64(text: string): boolean {
  const digits = text.replace(/={1,2}$/, '');
  const isPadded = digits.length !== text.length;
  if (!/^[A-Za-z0-9+/]+$/.test(digits) || digits.length % 4 === 1) return false;
  return !isPadded || text.length % 4 === 0;
}

/** Decodes UTF-8, or else Latin-1, which python-requests sends. */
function decodeText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return bytes.toString('latin1');
    throw error;
  }
}
