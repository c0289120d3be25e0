import { and, count, eq, sql } from 'drizzle-orm';
import type { Database } from '../../../database/database.ts';
import { query } from '../../../database/query-builder.ts';
import { media, nodes, paragraphs, terms } from '../../../database/schema/content.ts';
import { references } from '../../../database/schema/references.ts';
import { users } from '../../../database/schema/users.ts';
import { type Named, prepare } from '../../../database/statement.ts';
import type { LinkedType } from '../../access-rule.ts';

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
type ContentCounts = Readonly<Record<keyof typeof COUNTS, number>>;

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

/** The number of entities of a type that refer to an entity by one field. */
export interface ReferrerCount {
  readonly type: string;
  readonly field: string;
  readonly count: number;
}

const referrers = prepare(({ type, id }: Named<{ type: string; id: number }>) =>
  query
    .select({
      type: references.sourceType,
      field: references.field,
      count: count(sql`DISTINCT ${references.sourceId}`).as('referrers'),
    })
    .from(references)
    .where(and(eq(references.targetType, type), eq(references.targetId, id)))
    .groupBy(references.sourceType, references.field),
);

/** Returns how many entities refer to an entity, by their type and the field. */
export function countReferrers(database: Database, type: LinkedType, id: number): Promise<ReferrerCount[]> {
  return database.all(referrers({ type, id }));
}
