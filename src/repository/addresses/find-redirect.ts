import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { redirects } from '../../database/schema/loading.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { MAX_SOURCE_CHARS, NO_QUERY, sourcePath, sourceQuery } from './redirect-source.ts';
import { addressOfTarget, withQuery } from './redirect-target.ts';

/** An address that leads to another. */
export interface FoundRedirect {
  readonly target: string;
  readonly statusCode: number;
  /** Whether it is for this query alone, and not for any. */
  readonly isForQuery: boolean;
}

const redirectOf = prepare(({ path, wanted }: Named<{ path: string; wanted: string }>) =>
  query
    .select({ target: redirects.targetUri, statusCode: redirects.statusCode, query: redirects.sourceQuery })
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
): Promise<FoundRedirect | undefined> {
  if (path.length > MAX_SOURCE_CHARS) return undefined;
  const source = sourcePath(path);
  if (source === '' || source.includes('\0')) return undefined;
  const found = await database.get(redirectOf({ path: source, wanted: sourceQuery(parameters) ?? NO_QUERY }));
  return found && { target: found.target, statusCode: found.statusCode, isForQuery: found.query !== NO_QUERY };
}

/** Where a request goes on to. A redirect that is for any query hands on the one that there is. */
export function locationOf(
  { target, isForQuery }: FoundRedirect,
  parameters: URLSearchParams,
  baseUrl: string,
): string {
  const address = addressOfTarget(target, baseUrl);
  return isForQuery ? address : withQuery(address, parameters);
}
