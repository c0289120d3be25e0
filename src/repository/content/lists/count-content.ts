import { count } from 'drizzle-orm';
import type { Database } from '../../../database/database.ts';
import { query } from '../../../database/query-builder.ts';
import { media, nodes, paragraphs, terms } from '../../../database/schema/content.ts';
import { users } from '../../../database/schema/users.ts';
import { prepare } from '../../../database/statement.ts';

const countOf = (table: typeof nodes | typeof media | typeof terms | typeof paragraphs | typeof users) =>
  prepare(() => query.select({ count: count() }).from(table));
const COUNTS = {
  nodes: countOf(nodes),
  media: countOf(media),
  terms: countOf(terms),
  paragraphs: countOf(paragraphs),
  users: countOf(users),
};

/** The number of rows of each kind. */
export type ContentCounts = Readonly<Record<keyof typeof COUNTS, number>>;

/** Counts all content and users. Each count reads one index. */
export async function countContent(database: Database): Promise<ContentCounts> {
  const { nodes, media, terms, paragraphs, users } = await database.read({
    nodes: COUNTS.nodes(),
    media: COUNTS.media(),
    terms: COUNTS.terms(),
    paragraphs: COUNTS.paragraphs(),
    users: COUNTS.users(),
  });
  const of = (rows: readonly { readonly count: number }[]) => rows[0]?.count ?? 0;
  return { nodes: of(nodes), media: of(media), terms: of(terms), paragraphs: of(paragraphs), users: of(users) };
}
