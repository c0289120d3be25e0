import { setImmediate } from 'node:timers/promises';
import { asc, gt, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { contentTables, revisionTables } from '../../database/schema/content.ts';
import { redirects } from '../../database/schema/loading.ts';
import { users } from '../../database/schema/users.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { filePath } from '../../paths.ts';

/** Maximum number of texts in memory. A text may have megabytes. */
const PAGE_ROWS = 100;

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** An address of a file in a text, up to a character that ends a URL in HTML, JSON or plain text. */
const ADDRESS = /\/(?:sites\/default\/files|system\/files|_flysystem\/[a-z][\w-]*)\/[^\s"'<>\\?#)]+/g;

/** A file that no current reference names. */
export interface UnreferencedFile {
  readonly id: number;
  readonly uuid: string;
  readonly uri: string;
  readonly bytes: number;
}

const page = (
  id: SQLiteColumn,
  text: SQLiteColumn | SQL<string | null>,
  table: Parameters<ReturnType<typeof query.select>['from']>[0],
) =>
  prepare(({ after }: Named<{ after: number }>) =>
    query
      .select({ id: sql<number>`${id}`, text: sql<string>`${text}` })
      .from(table)
      .where(sql`${gt(id, after)} AND ${isNotNull(text)}`)
      .orderBy(asc(id))
      .limit(PAGE_ROWS),
  );

/** All texts that may name a file without a reference: contents, earlier revisions, fields of users, and redirects. */
const TEXTS = [
  ...Object.values(contentTables).map((table) => page(table.id, table.document, table)),
  ...Object.values(revisionTables).map((table) => page(table.id, table.snapshot, table)),
  page(users.id, users.fields, users),
  page(redirects.id, redirects.targetUri, redirects),
];

/**
 * Returns the ids of files that an earlier revision names, or that a text embeds by its address: references have neither. Reads
 * all content, and yields to others. Throws the reason of the signal.
 */
export async function findNamedFiles(
  database: Database,
  files: readonly UnreferencedFile[],
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const byName = new Map(
    files.flatMap(({ id, uuid, uri }) => [uuid, filePath(uri), decoded(filePath(uri))].map((name) => [name, id])),
  );
  const named = new Set<number>();
  for (const texts of TEXTS) {
    for (let after = 0, count = PAGE_ROWS; count === PAGE_ROWS; ) {
      signal.throwIfAborted();
      const rows = await database.all(texts({ after }));
      for (const { text } of rows)
        for (const [name] of [...text.matchAll(UUID), ...text.matchAll(ADDRESS)]) {
          const id = byName.get(name) ?? byName.get(decoded(name));
          if (id !== undefined) named.add(id);
        }
      after = rows.at(-1)?.id ?? after;
      count = rows.length;
      await setImmediate();
    }
  }
  return named;
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    // Not encoded: its name has a percent sign.
    return address;
  }
}
