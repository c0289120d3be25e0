import { ServiceError } from '../base/errors.ts';

const NAMES_OF_THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/;
/** A host with an optional port, without the user name and path that a URL may have. */
const HOST_AND_PORT = /^[\w.:[\]-]+$/;

/** Returns true if only this machine can reach a port that listens on this host. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/**
 * Returns the error for a request to a loopback port under a foreign host name, or from a page of another site: pages
 * in the user's browser can reach such ports, also by DNS rebinding. Undefined for a request of a local program.
 */
export function refuseForeign({ headers }: Request, own: { host: string; port: number }): ServiceError | undefined {
  const isOwn = (text: string) => isOwnHost(text, own);
  const host = headers.get('host');
  // Only programs other than browsers send no Host (HTTP/1.0).
  if (host !== null && !isOwn(host)) {
    const message = `This service answers as ${own.host}:${own.port} only; set jwksUri to let it have other names.`;
    return new ServiceError('misdirected', message);
  }
  const origin = headers.get('origin');
  if (origin === null) return undefined;
  const [, site] = /^https?:\/\/(.*)$/.exec(origin) ?? [];
  if (site !== undefined && isOwn(site)) return undefined;
  return new ServiceError('forbidden', 'Pages of other sites may not use this service.');
}

function isOwnHost(text: string, { host, port }: { host: string; port: number }): boolean {
  const url = HOST_AND_PORT.test(text) ? URL.parse(`http://${text}`) : null;
  if (url === null || ![...NAMES_OF_THIS_MACHINE, host].includes(url.hostname)) return false;
  return url.port === '' || Number(url.port) === port;
}
