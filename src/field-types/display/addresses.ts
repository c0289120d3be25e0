const LINKED_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
/** One leading slash: `//` and `/\\` begin the address of another host. */
const OWN_PATH = /^\/(?![/\\])/;

/** Returns the path prefix of the site. Paths work under every host name of the site. */
export function siteRoot(baseUrl: string): string {
  // Does not parse the URL: an error page may be about an invalid host.
  const start = baseUrl.indexOf('/', baseUrl.indexOf('://') + 3);
  return baseUrl.includes('://') && start >= 0 ? baseUrl.slice(start).replace(/\/$/, '') : '';
}

/** Returns an absolute address if a page may link to it: of the web or mail. Undefined for others, such as `javascript:`. */
export function linkableAddress(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  const url = URL.parse(address);
  return url !== null && LINKED_PROTOCOLS.has(url.protocol) ? address : undefined;
}

/** Returns a text if it is a web address as a whole. */
export function wholeWebAddress(text: string): string | undefined {
  return /^https?:\/\/[^\s/]\S*$/i.test(text) ? linkableAddress(text) : undefined;
}

/** Returns a path of this site, such as the stored `url` of a file. Undefined for other addresses. */
export function ownPath(path: unknown): string | undefined {
  return typeof path === 'string' && OWN_PATH.test(path) ? path : undefined;
}

/** Returns the decoded file name of a path. */
export function fileNameOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(name);
  } catch {
    // The name contains a literal percent sign.
    return name;
  }
}
