import { UnusableDatabaseError } from '../errors.ts';

/** The address of a libSQL server, without credentials, and the token. */
export interface RemoteAddress {
  /** `https://host:port/path`, without a slash at the end. */
  readonly base: string;
  readonly authToken: string | undefined;
}

/**
 * Parses the address of a libSQL server: `http(s)://`, or `libsql://`, which uses https unless it has `?tls=0`. Throws
 * UnusableDatabaseError.
 */
export function parseRemoteAddress(url: string, authToken: string | undefined): RemoteAddress {
  const match = /^(libsql|https?):\/\/([^/?#]+)([^?#]*)(?:\?([^#]*))?$/i.exec(url);
  const [, scheme = '', host = '', path = '', query = ''] = match ?? [];
  if (match === null || !URL.canParse(`http://${host}`))
    throw wrong(url, 'it must begin with libsql://, http:// or https://');
  const { tls, ...others } = Object.fromEntries(new URLSearchParams(query));
  if (host.includes('@') || 'authToken' in others) throw wrong(url, 'set the token with REPO_DATABASE_AUTH_TOKEN');
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrong(url, `unknown parameter ${unknown}`);
  if (tls !== undefined && (scheme.toLowerCase() !== 'libsql' || !/^[01]$/.test(tls)))
    throw wrong(url, 'tls must be 0 or 1, and requires libsql://');
  const isPlain = scheme.toLowerCase() === 'http' || tls === '0';
  return { base: `${isPlain ? 'http' : 'https'}://${host}${path.replace(/\/+$/, '')}`, authToken };
}

function wrong(url: string, what: string): UnusableDatabaseError {
  // Without a possible password or token.
  const shown = url.replace(/\/\/[^/]*@/, '//…@').replace(/\?.*/s, '?…');
  return new UnusableDatabaseError(`The database address ${shown} cannot be used: ${what}.`);
}
