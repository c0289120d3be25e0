import { ServiceError } from '../base/errors.ts';
import { isCrossSite } from '../http/form-body.ts';
import { recordOf } from '../http/request-log.ts';
import type { ApiServices } from './api-services.ts';

/** Maximum number of characters of an address that an error shows. */
const MAX_SHOWN_CHARS = 200;

/** Returns the methods of a path as `Allow` lists them. Undefined if the path has no route. */
export function allowedAt({ offered }: ApiServices, path: string): string | undefined {
  return offered
    .get(path)
    ?.map((method) => (method === 'GET' ? 'GET, HEAD' : method))
    .join(', ');
}

/** Returns the error for a path that does not support the method of a request (405), or for an unknown path (404). */
export function refuse(api: ApiServices, request: Request, path: string): ServiceError {
  const address = addressOf(api, request);
  const allow = allowedAt(api, path);
  if (allow !== undefined)
    return new ServiceError(
      'method-not-allowed',
      `${address} does not support ${request.method}. It supports ${allow}.`,
      { headers: { Allow: allow } },
    );
  return new ServiceError('not-found', `${address} does not exist.`);
}

/** Returns the address of a request as its sender wrote it, without query. */
function addressOf(api: ApiServices, request: Request): string {
  const { clientAddress, path } = recordOf(request);
  return `${api.findBaseUrl(request, clientAddress)}${path.slice(0, MAX_SHOWN_CHARS)}`;
}

/**
 * Throws 403 for a write that a page of another site sends, unless its origin is configured: a browser may add credentials to
 * it that the page does not have.
 */
export function refuseOtherSites({ cors }: ApiServices, request: Request): void {
  if (!isCrossSite(request) || cors.admits(request)) return;
  throw new ServiceError('forbidden', 'Pages of other sites may not change anything here.');
}
