import type { Database } from '../../database/database.ts';
import { findRedirect, locationOf } from './find-redirect.ts';
import { NO_QUERY, type RedirectSource, sourcePath, sourceQuery } from './redirect-source.ts';
import { addressOfTarget } from './redirect-target.ts';

/** Browsers give up after about as many. */
const MAX_STEPS = 20;

/** Whether a new redirect would come back to where it begins, by itself or through others, or goes on for too long. */
export async function leadsBack(
  database: Database,
  source: RedirectSource,
  target: string,
  baseUrl: string,
): Promise<boolean> {
  let address = addressOfTarget(target, baseUrl);
  for (let step = 0; step < MAX_STEPS; step++) {
    if (!address.startsWith(`${baseUrl}/`)) return false;
    const { pathname, searchParams } = new URL(`http://site.invalid${address.slice(baseUrl.length)}`);
    const isSamePath = sourcePath(pathname) === source.path;
    if (isSamePath && sourceQuery(searchParams) === source.query) return true;
    const found = await findRedirect(database, pathname, searchParams);
    // The new one would come before one for any query only if it is for this one, which it is not.
    if (isSamePath && source.query === NO_QUERY && !found?.isForQuery) return true;
    if (found === undefined) return false;
    address = locationOf(found, searchParams, baseUrl);
  }
  return true;
}
