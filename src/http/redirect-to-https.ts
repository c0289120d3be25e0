import { ServiceError } from '../base/errors.ts';
import { createFindBaseUrl } from './base-url.ts';
import { parseTrustedProxies } from './trusted-proxies.ts';

const USUAL_PORT = 443;
/** A day: what is remembered for good could not be taken back. */
const CACHE_CONTROL = 'max-age=86400';

export interface RedirectOptions {
  /** As configured; one on https goes before the request's own host. */
  readonly baseUrl: string | undefined;
  /** The port that answers with TLS. */
  readonly port: number;
}

/**
 * Answers each request with 308 to the same address on https, whose method and body are then the same, or with 400
 * for one whose Host names no host. The connection ends: whoever follows needs another one.
 */
export function createRedirectToHttps({ baseUrl, port }: RedirectOptions): (request: Request) => Response {
  const findOrigin = createFindBaseUrl({ proxies: parseTrustedProxies([]) });
  const configured = baseUrl?.startsWith('https:') ? new URL(baseUrl).origin : undefined;
  return (request) => {
    const origin = configured ?? originOf(request);
    if (origin === undefined) return answer(400, 'The Host header does not name a host.');
    const address = `${origin}${pathOf(request.url)}`;
    return answer(308, `This address is on https: ${address}`, { Location: address, 'Cache-Control': CACHE_CONTROL });
  };

  function originOf(request: Request): string | undefined {
    if (!request.headers.has('host')) return undefined;
    try {
      const { hostname } = new URL(findOrigin(request, undefined));
      return `https://${hostname}${port === USUAL_PORT ? '' : `:${port}`}`;
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

/** Path and query as they were sent; of a request whose host is none, the URL is no more than that. */
function pathOf(url: string): string {
  if (url.startsWith('/')) return url;
  const start = url.indexOf('/', url.indexOf('://') + '://'.length);
  return start < 0 ? '/' : url.slice(start);
}
