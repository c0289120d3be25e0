import type { Database } from '../../database/database.ts';
import { MAX_SOURCE_CHARS, NO_QUERY, sourcePath, sourceQuery } from './redirect-source.ts';
import { addressOfTarget, withQuery } from './redirect-target.ts';

/** An address that leads to another. */
export interface FoundRedirect {
  readonly target: string;
  readonly statusCode: number;
  /** Whether it is for this query alone, and not for any. */
  readonly isForQuery: boolean;
}

/** The redirect of a path of an address: that for its query comes before that for any. */
export async function findRedirect(
  database: Database,
  path: string,
  parameters: URLSearchParams,
): Promise<FoundRedirect | undefined> {
  if (path.length > MAX_SOURCE_CHARS) return undefined;
  const source = sourcePath(path);
  if (source === '' || source.includes('\0')) return undefined;
  const query = sourceQuery(parameters) ?? NO_QUERY;
  const row = await database.first(
    `SELECT target_uri, status_code, source_query FROM redirect
      WHERE source_path = ? AND source_query IN (?, ?) ORDER BY source_query = ? LIMIT 1`,
    [source, query, NO_QUERY, NO_QUERY],
  );
  if (row === undefined) return undefined;
  return { target: String(row[0]), statusCode: Number(row[1]), isForQuery: row[2] !== NO_QUERY };
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
