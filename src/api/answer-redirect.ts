import { recordOf } from '../http/request-log.ts';
import { findRedirect, locationOf } from '../repository/redirects/find-redirect.ts';
import type { ApiServices } from './api-services.ts';
import { parametersOf } from './formats.ts';
import { empty } from './respond.ts';

/**
 * The answer of an address that leads to another; undefined for any other, and to whoever wants to do something else than
 * read it. To be asked for addresses that are no route's: those of the API are never redirected.
 */
export async function answerRedirect(
  { services }: ApiServices,
  request: Request,
  findBaseUrl: () => string,
): Promise<Response | undefined> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
  const parameters = parametersOf(request.url);
  const found = await findRedirect(services.database, recordOf(request).path, parameters);
  if (found === undefined) return undefined;
  const headers = {
    Location: locationOf(found, parameters, findBaseUrl()),
    // Without this a browser keeps a permanent one for good, also when it was a mistake.
    'Cache-Control': 'must-revalidate, no-cache, private',
  };
  return empty(found.statusCode, headers);
}
