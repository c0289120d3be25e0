import { ServiceError } from '../base/errors.ts';
import type { FindBaseUrl } from './base-url.ts';
import { recordOf } from './request-log.ts';

/** The setting of `Strict-Transport-Security` (RFC 6797). */
export interface StrictTransport {
  /** The time for which browsers use https only, in seconds. Undefined: the header is not sent. */
  readonly maxAgeSeconds: number | undefined;
  /** True if it applies to all hosts below the host, too. */
  readonly includesSubDomains: boolean;
}

type Handle = (request: Request) => Promise<Response>;

/** Returns a handler whose answers over https have the header `Strict-Transport-Security`, if it is configured. */
export function withStrictTransport(
  handle: Handle,
  { maxAgeSeconds, includesSubDomains }: StrictTransport,
  findBaseUrl: FindBaseUrl,
): Handle {
  if (maxAgeSeconds === undefined) return handle;
  const value = `max-age=${maxAgeSeconds}${includesSubDomains ? '; includeSubDomains' : ''}`;
  return async (request) => {
    const response = await handle(request);
    if (isSecure(request, findBaseUrl)) response.headers.set('Strict-Transport-Security', value);
    return response;
  };
}

/** Returns true for a request over https, also to a proxy. Browsers ignore the header in answers over http. */
function isSecure(request: Request, findBaseUrl: FindBaseUrl): boolean {
  try {
    return findBaseUrl(request, recordOf(request).clientAddress).startsWith('https:');
  } catch (error) {
    if (error instanceof ServiceError) return request.url.startsWith('https:');
    throw error;
  }
}
