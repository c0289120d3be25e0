import { isAllowedSource } from './allowed-sources.ts';

/** A redirect that is not followed. */
export class RedirectRefused extends Error {
  override readonly name = 'RedirectRefused';

  /** `address`: the redirect leads to an address that is not allowed. `count`: there are too many redirects. */
  constructor(readonly reason: 'address' | 'count') {
    super(`a redirect is not followed: ${reason}`);
  }
}

interface RedirectOptions {
  readonly method?: 'GET' | 'HEAD';
  /** Sent to all addresses. */
  readonly headers: Readonly<Record<string, string>>;
  /** Sent until a redirect leads to another origin. */
  readonly secretHeaders?: Readonly<Record<string, string>>;
  /** The address prefixes to which redirects may lead. Undefined: any http or https address. */
  readonly allowed: readonly URL[] | undefined;
  readonly maxRedirects: number;
  readonly signal: AbortSignal;
}

/**
 * Sends a request and follows its redirects, each only to an allowed address: an answer leads to no server of this network
 * that is not meant. The first address is the caller's to check. Throws RedirectRefused.
 */
export async function followRedirects(url: URL, options: RedirectOptions): Promise<Response> {
  const { method = 'GET', headers, allowed, maxRedirects, signal } = options;
  let current = url;
  let secretHeaders = options.secretHeaders;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const response = await fetch(current.href, {
      method,
      redirect: 'manual',
      signal,
      // Bun's own limit would end a transfer whose reader waits or is slow.
      timeout: false,
      headers: { ...headers, ...secretHeaders },
    });
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
    if (location === null) return response;
    await response.body?.cancel();
    const next = URL.parse(location, current.href);
    if (next === null || !isAllowedSource(next, allowed)) throw new RedirectRefused('address');
    if (next.origin !== current.origin) secretHeaders = undefined;
    current = next;
  }
  throw new RedirectRefused('count');
}
