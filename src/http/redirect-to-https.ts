import { ServiceError } from '../base/errors.ts';
import { createFindBaseUrl } from './base-url.ts';
import { parseTrustedProxies } from './trusted-proxies.ts';

const USUAL_PORT = 443;
/** One day: an unlimited cached redirect could not be revoked. */
const CACHE_CONTROL = 'max-age=86400';

interface RedirectOptions {
  /** The configured base URL. Its host takes precedence over the host of the request. */
  readonly baseUrl: string | undefined;
  /** Returns true if the certificate is valid for a host. Without a base URL, only such hosts are redirected. */
  readonly isCertified: (host: string) => boolean;
  /** The port that answers with TLS. */
  readonly port: number;
}

/**
 * Creates a handler that redirects each request to the same address on https, with 308, which keeps method and body.
 * Returns 400 for an invalid Host, and for one of another site. Closes the connection.
 */
export function createRedirectToHttps({ baseUrl, port, isCertified }: RedirectOptions): (request: Request) => Response {
  const findOrigin = createFindBaseUrl({ proxies: parseTrustedProxies([]) });
  const configured = baseUrl === undefined ? undefined : secureOrigin(new URL(baseUrl));
  return (request) => {
    const origin = configured ?? originOf(request);
    if (origin === undefined) return answer(400, 'The Host header does not name a host of this server.');
    const address = `${origin}${pathOf(request.url)}`;
    return answer(308, `This address is on https: ${address}`, { Location: address, 'Cache-Control': CACHE_CONTROL });
  };

  /** A base URL on http names the host, and not the port of https. */
  function secureOrigin({ protocol, origin, hostname }: URL): string {
    return protocol === 'https:' ? origin : atPort(hostname);
  }

  function atPort(hostname: string): string {
    return `https://${hostname}${port === USUAL_PORT ? '' : `:${port}`}`;
  }

  function originOf(request: Request): string | undefined {
    if (!request.headers.has('host')) return undefined;
    try {
      const { hostname } = new URL(findOrigin(request, undefined));
      return isCertified(hostname) ? atPort(hostname) : undefined;
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }
}

function answer(status: number, text: string, headers: Record<string, string> = {}): Response {
  const all = { 'Content-Type': 'text/plain;charset=utf-8', Connection: 'close', ...headers };
  return new Response(`${text}\n`, { status, headers: all });
}

/** Returns path and query as sent. With an invalid host, the URL of a request is only these. */
function pathOf(url: string): string {
  if (url.startsWith('/')) return url;
  const start = url.indexOf('/', url.indexOf('://') + '://'.length);
  return start < 0 ? '/' : url.slice(start);
}
