/** An address prefix that sources may come from: an origin, and a path that ends at a segment. */
export interface AllowedSource {
  origin: string;
  path: string;
}

/** Reads a configured prefix; undefined if it is no http or https address. */
export function parseAllowedSource(prefix: string): AllowedSource | undefined {
  const url = URL.parse(prefix);
  return url && isHttp(url) ? { origin: url.origin, path: url.pathname } : undefined;
}

/**
 * Whether a source may be fetched. The prefix is compared as origin and path segments, not as text:
 * `http://repo.example` covers neither `http://repo.example.org` nor `http://repo.example@evil.org`.
 */
export function isAllowedSource(url: URL, allowed: readonly AllowedSource[] | undefined): boolean {
  if (!isHttp(url)) return false;
  return allowed?.some((prefix) => url.origin === prefix.origin && isBelow(url.pathname, prefix.path)) ?? true;
}

function isHttp(url: URL): boolean {
  return url.protocol === 'http:' || url.protocol === 'https:';
}

function isBelow(path: string, prefix: string): boolean {
  // An encoded dot, slash or backslash, or a `..;`, may mean another path to the server than it does here.
  if (prefix !== '/' && /%(25)*(2e|2f|5c)|\/\.\.?;/i.test(path)) return false;
  return path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}
