import ipaddr from 'ipaddr.js';
import { malformed } from '../base/errors.ts';
import { clientPath, type TrustedProxies } from './trusted-proxies.ts';

/** Maximum length of a host with its port. The longest host name of DNS has 253 characters. */
const MAX_HOST_CHARS = 260;

/** Returns the base URL of the site for a request: scheme, host and path, without a slash at the end. */
export type FindBaseUrl = (request: Request, peer: string | undefined) => string;

interface BaseUrlOptions {
  /** The configured base URL, which applies to every request. */
  baseUrl?: string;
  proxies: TrustedProxies;
}

/**
 * Creates a function that returns the base URL for addresses in responses: the configured one, or that of the request's
 * scheme and Host. `X-Forwarded-Proto`, `-Host` and `-Port` count if the peer is a trusted proxy. `Forwarded` and
 * `X-Forwarded-Prefix` do not: most proxies pass on the client's value. The function throws `malformed` for an invalid host.
 */
export function createFindBaseUrl({ baseUrl, proxies }: BaseUrlOptions): FindBaseUrl {
  if (baseUrl !== undefined) {
    const configured = parseBaseUrl(baseUrl);
    return () => configured;
  }
  // Most requests name the same host as the one before.
  let last: Origin & { baseUrl: string } = { scheme: '', host: '', port: '', baseUrl: '' };
  return (request, peer) => {
    const origin = originOf(request, peer, proxies);
    const { scheme, host, port } = origin;
    if (last.scheme !== scheme || last.host !== host || last.port !== port)
      last = { ...origin, baseUrl: makeBaseUrl(scheme, host, port) };
    return last.baseUrl;
  };
}

/** Returns the normalized form of a configured base URL. Throws RangeError unless it is an http or https URL of host and path. */
export function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isBase =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    !/[?#]/.test(text) &&
    url.username === '' &&
    url.password === '';
  if (!isBase) throw new RangeError(`must be a URL such as https://repository.example.org, found "${text}"`);
  return url.origin + url.pathname.replace(/\/+$/, '');
}

interface Origin {
  scheme: string;
  host: string;
  /** The port of `X-Forwarded-Port`. */
  port: string;
}

function originOf(request: Request, peer: string | undefined, proxies: TrustedProxies): Origin {
  const { headers, url } = request;
  const scheme = url.startsWith('https:') ? 'https' : 'http';
  const host = headers.get('host') ?? hostOf(url);
  if (!proxies.isTrusted(peer)) return { scheme, host, port: '' };
  const { proxiesBehindPeer } = clientPath(headers, peer, proxies);
  const forwarded = (name: string) => forwardedValue(headers.get(name), proxiesBehindPeer);
  return {
    scheme: forwarded('x-forwarded-proto')?.toLowerCase() ?? scheme,
    host: forwarded('x-forwarded-host') ?? host,
    port: forwarded('x-forwarded-port') ?? '',
  };
}

/**
 * Returns the value that the outermost trusted proxy set. Proxies that append count from the right, as in
 * `X-Forwarded-For`: values further left come from the client. Proxies that replace leave a single value.
 */
function forwardedValue(header: string | null, proxiesBehindPeer: number): string | undefined {
  if (!header?.trim()) return undefined;
  const values = header.split(',');
  return values[Math.max(0, values.length - 1 - proxiesBehindPeer)]?.trim();
}

/** Returns the host of a URL: requests created within the program have no Host header. */
function hostOf(url: string): string {
  return /^https?:\/\/([^/?#]+)/.exec(url)?.[1] ?? '';
}

function makeBaseUrl(scheme: string, host: string, forwardedPort: string): string {
  if (scheme !== 'http' && scheme !== 'https') throw malformed('The X-Forwarded-Proto header must be http or https.');
  const parsed = parseHost(host);
  if (parsed === undefined)
    throw malformed('The Host header (or the X-Forwarded-Host of the proxy) does not name a host.');
  if (forwardedPort !== '' && !isPort(forwardedPort)) throw malformed('The X-Forwarded-Port header must be a port.');
  const port = Number(parsed.port ?? (forwardedPort || undefined) ?? defaultPort(scheme));
  // A proxy that terminates TLS may forward its own internal port.
  const isUsual = port === defaultPort(scheme) || (parsed.port === undefined && (port === 80 || port === 443));
  const baseUrl = `${scheme}://${parsed.name}${isUsual ? '' : `:${port}`}`;
  // `1.2.3.999` and `xn--a` have the form of a host name but are invalid in a URL.
  if (!URL.canParse(baseUrl))
    throw malformed('The Host header (or the X-Forwarded-Host of the proxy) does not name a host.');
  return baseUrl;
}

/** Parses host and port (RFC 9110, 7.2). Stricter than RFC 3986: accepts no percent-encoding and no delimiters. */
function parseHost(text: string): { name: string; port: string | undefined } | undefined {
  if (text.length > MAX_HOST_CHARS) return undefined;
  const match = /^(?:\[([0-9a-f:.]+)\]|((?:[a-z0-9_-]+\.)*[a-z0-9_-]+)\.?)(?::(\d{1,5})?)?$/i.exec(text);
  if (match === null) return undefined;
  const [, ipv6, name = '', port] = match;
  if (port !== undefined && !isPort(port)) return undefined;
  if (ipv6 === undefined) return { name: name.toLowerCase(), port };
  return ipaddr.IPv6.isValid(ipv6) ? { name: `[${ipaddr.IPv6.parse(ipv6).toString()}]`, port } : undefined;
}

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535;
}

function defaultPort(scheme: string): number {
  return scheme === 'https' ? 443 : 80;
}
