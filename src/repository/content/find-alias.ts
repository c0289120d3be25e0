import type { Database } from '../../database/database.ts';

/** No alias has more characters. */
const MAX_ALIAS_CHARS = 255;

/**
 * The canonical path that an address stands for, or undefined. `path` is as in a URL; an alias may be kept in either form.
 * Slashes at its end are dropped, as they are where an alias is given, unless there is one that has them.
 */
export async function findAliased({ client }: Database, path: string): Promise<string | undefined> {
  const decoded = decode(path);
  if (decoded === undefined || decoded.length > MAX_ALIAS_CHARS) return undefined;
  const { rows } = await client.execute({
    sql: 'SELECT path FROM path_alias WHERE alias IN (?, ?, ?, ?) ORDER BY alias = ? DESC, length(alias) DESC LIMIT 1',
    args: [decoded, path, ...[decoded, path].map((each) => each.replace(/\/+$/, '')), decoded],
  });
  return rows[0] === undefined ? undefined : String(rows[0][0]);
}

function decode(path: string): string | undefined {
  try {
    const decoded = decodeURIComponent(path);
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    // Not UTF-8: no alias is.
    return undefined;
  }
}
