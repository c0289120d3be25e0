/** More than any credentials; the head of a request may be far longer. */
const MAX_CREDENTIALS_CHARS = 16 * 1024;

/** What a request says of its sender. `invalid` is what was meant as credentials and cannot be read. */
export type Credentials =
  | { type: 'none' }
  | { type: 'basic'; name: string; password: string }
  | { type: 'bearer'; token: string }
  | { type: 'invalid'; scheme: string };

/**
 * The credentials of a request, not yet judged. `JWT-Authorization: Bearer …` (spec: rest-behaviour, 8.1) comes
 * before `Authorization`, which a proxy in front may claim for itself. Never throws.
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
 * The token of an `Authorization: Bearer …` value (RFC 6750 section 2.1; the scheme in any case),
 * or undefined if the value is missing or of another form. What stands there is not judged yet.
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
  // What stands alone might be a token or a password that someone sent bare: not for messages and logs.
  return { scheme: isNameable ? scheme : 'unknown', value };
}

function readBearer(token: string): Credentials {
  const isToken = token.length <= MAX_CREDENTIALS_CHARS && /^[A-Za-z0-9\-._~+/]+=*$/.test(token);
  return isToken ? { type: 'bearer', token } : { type: 'invalid', scheme: 'bearer' };
}

/** RFC 7617 section 2: a name without colon, a colon, a password; in base64 and without control characters. */
function readBasic(encoded: string): Credentials {
  const invalid: Credentials = { type: 'invalid', scheme: 'basic' };
  if (encoded.length > MAX_CREDENTIALS_CHARS || !isBase64(encoded)) return invalid;
  const text = decodeText(Buffer.from(encoded, 'base64'));
  const colon = text.indexOf(':');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  if (colon < 1 || /[\u0000-\u001f\u007f]/.test(text)) return invalid;
  return { type: 'basic', name: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Padding may be left out; a lone last character may not, for it is six bits of a byte. */
function isBase64(text: string): boolean {
  const digits = text.replace(/={1,2}$/, '');
  const isPadded = digits.length !== text.length;
  if (!/^[A-Za-z0-9+/]+$/.test(digits) || digits.length % 4 === 1) return false;
  return !isPadded || text.length % 4 === 0;
}

/** UTF-8, or else Latin-1: that is what a script on python-requests sends for `é`. */
function decodeText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return bytes.toString('latin1');
    throw error;
  }
}
