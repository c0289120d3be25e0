const LINKED_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
/** One slash: two of them, or a backslash in their place, would be the address of another host. */
const OWN_PATH = /^\/(?![/\\])/;

/** What a path of the site has to begin with, so that a page works under every host name it is reached by. */
export function siteRoot(baseUrl: string): string {
  // Not by taking it apart as an address: an error's page may be about a host that makes it none.
  const start = baseUrl.indexOf('/', baseUrl.indexOf('://') + 3);
  return baseUrl.includes('://') && start >= 0 ? baseUrl.slice(start).replace(/\/$/, '') : '';
}

/** An absolute address as it came, if a page may link to it: the web and mail. Undefined for all else, `javascript:` first of all. */
export function linkableAddress(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  const url = URL.parse(address);
  return url !== null && LINKED_PROTOCOLS.has(url.protocol) ? address : undefined;
}

/** The same for text that may be anything: only if all of it is an address of the web. */
export function wholeWebAddress(text: string): string | undefined {
  return /^https?:\/\/[^\s/]\S*$/i.test(text) ? linkableAddress(text) : undefined;
}

/** A path of this site, as the stored `url` of a file is one; undefined for anything that leads elsewhere. */
export function ownPath(path: unknown): string | undefined {
  return typeof path === 'string' && OWN_PATH.test(path) ? path : undefined;
}

/** The name at the end of a path, as people write it. */
export function fileNameOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    // A percent sign that escapes nothing is part of the name.
    return name;
  }
}
