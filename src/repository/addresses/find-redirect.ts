import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { redirects } from '../../database/schema/loading.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { NO_QUERY, sourcePath } from '../redirect-source.ts';
import { addressOfTarget, MAX_SOURCE_CHARS, type RedirectSource, sourceQuery, withQuery } from './redirect-target.ts';

/** A redirect that was found for a request. */
export interface RedirectMatch {
  readonly target: string;
  readonly statusCode: number;
  /** True if it is for this query only, not for any query. */
  readonly isForQuery: boolean;
  /** The canonical path of the content over whose alias it takes precedence. */
  readonly replacedPath: string | null;
}

const redirectOf = prepare(({ path, wanted }: Named<{ path: string; wanted: string }>) =>
  query
    .select({
      target: redirects.targetUri,
      statusCode: redirects.statusCode,
      query: redirects.sourceQuery,
      replacedPath: redirects.replacedPath,
    })
    .from(redirects)
    .where(and(eq(redirects.sourcePath, path), sql`${redirects.sourceQuery} IN (${wanted}, ${NO_QUERY})`))
    .orderBy(eq(redirects.sourceQuery, NO_QUERY))
    .limit(1),
);

/** Returns the redirect of a path. The one for its query takes precedence over the one for any query. */
export async function findRedirect(
  database: Database,
  path: string,
  parameters: URLSearchParams,
): Promise<RedirectMatch | undefined> {
  if (path.length > MAX_SOURCE_CHARS) return undefined;
  const source = sourcePath(path);
  if (source === '' || source.includes('\0')) return undefined;
  const row = await database.get(redirectOf({ path: source, wanted: sourceQuery(parameters) ?? NO_QUERY }));
  if (row === undefined) return undefined;
  const { target, statusCode, query, replacedPath } = row;
  return { target, statusCode, isForQuery: query !== NO_QUERY, replacedPath };
}

/** Returns the `Location` of a redirect. A redirect for any query keeps the query of the request. */
export function locationOf(
  { target, isForQuery }: RedirectMatch,
  parameters: URLSearchParams,
  baseUrl: string,
): string {
  const address = addressOfTarget(target, baseUrl);
  return isForQuery ? address : withQuery(address, parameters);
}

/** Maximum number of redirects in a chain, about the limit of browsers. */
const MAX_STEPS = 20;

/** Returns true if a new redirect would lead to its own source, also through others, or into too long a chain. */
export async function wouldLoop(
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
    const redirect = await findRedirect(database, pathname, searchParams);
    // The new redirect is for any query. Only one for this query takes precedence over it.
    if (isSamePath && source.query === NO_QUERY && !redirect?.isForQuery) return true;
    if (redirect === undefined) return false;
    address = locationOf(redirect, searchParams, baseUrl);
  }
  return true;
}
