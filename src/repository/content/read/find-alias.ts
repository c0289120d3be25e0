import { desc, eq, sql } from 'drizzle-orm';
import type { Database } from '../../../database/database.ts';
import { query } from '../../../database/query-builder.ts';
import { pathAliases } from '../../../database/schema/system.ts';
import { isAmong } from '../../../database/sql.ts';
import { type Named, prepare } from '../../../database/statement.ts';

/** The maximum length of an alias, in characters. */
const MAX_ALIAS_CHARS = 255;

const pathOf = prepare(
  ({ decoded, path, bare, barePath }: Named<Record<'decoded' | 'path' | 'bare' | 'barePath', string>>) =>
    query
      .select({ path: pathAliases.path })
      .from(pathAliases)
      .where(sql`${pathAliases.alias} IN (${decoded}, ${path}, ${bare}, ${barePath})`)
      .orderBy(desc(eq(pathAliases.alias, decoded)), desc(sql`length(${pathAliases.alias})`))
      .limit(1),
);

/**
 * Returns the canonical path of an alias, or undefined. `path` is as in a URL; stored aliases may be encoded or
 * decoded. Trailing slashes are ignored, unless an alias has them.
 */
export async function findAliased(database: Database, path: string): Promise<string | undefined> {
  const decoded = decode(path);
  if (decoded === undefined || decoded.length > MAX_ALIAS_CHARS) return undefined;
  const [bare, barePath] = [decoded, path].map((each) => each.replace(/\/+$/, '')) as [string, string];
  return (await database.get(pathOf({ decoded, path, bare, barePath })))?.path;
}

const pathsOf = prepare(({ aliases }: Named<{ aliases: string }>) =>
  query
    .select({ alias: pathAliases.alias, path: pathAliases.path })
    .from(pathAliases)
    .where(isAmong(pathAliases.alias, aliases)),
);

/** Returns the canonical paths of aliases, by alias. */
export async function findPaths(database: Database, aliases: readonly string[]): Promise<Map<string, string>> {
  if (aliases.length === 0) return new Map();
  const rows = await database.all(pathsOf({ aliases: JSON.stringify(aliases) }));
  return new Map(rows.map(({ alias, path }) => [alias, path]));
}

function decode(path: string): string | undefined {
  try {
    const decoded = decodeURIComponent(path);
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    // Not UTF-8, so no alias.
    return undefined;
  }
}
