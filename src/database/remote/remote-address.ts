import { UnusableDatabaseError } from '../errors.ts';

/** Where a libSQL server is, as it may be shown: without the token. */
export interface RemoteAddress {
  /** `https://host:port/path`, without a slash at the end. */
  readonly base: string;
  readonly authToken: string | undefined;
}

/**
 * Takes the address of a libSQL server apart: `http(s)://`, or `libsql://`, which is https unless `?tls=0` says
 * otherwise. Throws UnusableDatabaseError.
 */
export function parseRemoteAddress(url: string, authToken: string | undefined): RemoteAddress {
  const match = /^(libsql|https?):\/\/([^/?#]+)([^?#]*)(?:\?([^#]*))?$/i.exec(url);
  const [, scheme = '', host = '', path = '', query = ''] = match ?? [];
  if (match === null || !URL.canParse(`http://${host}`))
    throw wrong(url, 'it is no libsql://, http:// or https:// address');
  const { tls, ...others } = Object.fromEntries(new URLSearchParams(query));
  if (host.includes('@') || 'authToken' in others) throw wrong(url, 'give the token by REPO_DATABASE_AUTH_TOKEN');
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrong(url, `${unknown} is not known there`);
  if (tls !== undefined && (scheme.toLowerCase() !== 'libsql' || !/^[01]$/.test(tls)))
    throw wrong(url, 'tls is 0 or 1, and for libsql:// alone');
  const isPlain = scheme.toLowerCase() === 'http' || tls === '0';
  return { base: `${isPlain ? 'http' : 'https'}://${host}${path.replace(/\/+$/, '')}`, authToken };
}

function wrong(url: string, what: string): UnusableDatabaseError {
  // Without what may be a password or a token.
  const shown = url.replace(/\/\/[^/]*@/, '//…@').replace(/\?.*/s, '?…');
  return new UnusableDatabaseError(`The database address ${shown} cannot be used: ${what}.`);
}
