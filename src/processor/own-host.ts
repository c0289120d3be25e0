import { ServiceError } from '../base/errors.ts';

const NAMES_OF_THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/;
/** No user name and no path, which a URL could have in place of a host. */
const HOST_AND_PORT = /^[\w.:[\]-]+$/;

/** Whether a port that listens on this host can be reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/**
 * The refusal of a request to a port of this machine that came by a foreign name, or from a page of another site: a
 * page in the user's browser reaches such ports, by a name that its owner lets point here. Undefined for a request
 * of this machine's own programs.
 */
export function refuseForeign({ headers }: Request, own: { host: string; port: number }): ServiceError | undefined {
  const isOwn = (text: string) => isOwnHost(text, own);
  const host = headers.get('host');
  // Without a Host (HTTP/1.0) it is no browser.
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
