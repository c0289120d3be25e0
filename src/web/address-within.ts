/** Any host: only the path matters. */
const ANY_ORIGIN = 'http://localhost';

/** Returns the path and query of a request. */
export function addressWithin({ url }: Request): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Returns an address that a form names, as a path within the site. Undefined for any other address, such as one of another site. */
export function ownAddress(address: string | undefined): string | undefined {
  if (address === undefined || !address.startsWith('/') || !URL.canParse(address, ANY_ORIGIN)) return undefined;
  const { origin, pathname, search } = new URL(address, ANY_ORIGIN);
  // Browsers read `//host` and `/\host` as the address of a host.
  return origin === ANY_ORIGIN && !pathname.startsWith('//') ? pathname + search : undefined;
}
