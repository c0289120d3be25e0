/** Parses an http or https address. Throws RangeError for anything else. */
export function parseHttpAddress(text: string): URL {
  const url = URL.parse(text);
  if (url !== null && isHttp(url)) return url;
  throw new RangeError(`must be an http or https address, found "${text}"`);
}

/**
 * Returns true if a source may be fetched. Prefixes are compared as origin and path segments, not as text:
 * `http://repo.example` covers neither `http://repo.example.org` nor `http://repo.example@evil.org`.
 */
export function isAllowedSource(url: URL, prefixes: readonly URL[] | undefined): boolean {
  if (!isHttp(url)) return false;
  return prefixes?.some(({ origin, pathname }) => url.origin === origin && isBelow(url.pathname, pathname)) ?? true;
}

/** Returns true for an http or https address. */
export function isHttp({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:';
}

function isBelow(path: string, prefix: string): boolean {
  // The server may resolve an encoded dot, slash or backslash, or a `..;`, to another path.
  if (prefix !== '/' && /%(25)*(2e|2f|5c)|\/\.\.?;/i.test(path)) return false;
  return path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}
