import { and, asc, count, eq, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Database } from '../../../database/database.ts';
import { query } from '../../../database/query-builder.ts';
import { terms } from '../../../database/schema/content.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import { foldLabel } from '../content.ts';
import { usesOfTerm } from './unused-terms.ts';

const countTerms = prepare(() =>
  query
    .select({ vocabulary: terms.bundle, terms: count().as('terms') })
    .from(terms)
    .groupBy(terms.bundle),
);

/** Returns the number of terms of each vocabulary that has any. */
export async function termCounts(database: Database): Promise<ReadonlyMap<string, number>> {
  return new Map((await database.all(countTerms())).map((row) => [row.vocabulary, row.terms]));
}

/** A term in the list of its vocabulary. */
export interface ListedTerm {
  readonly id: number;
  readonly label: string;
  readonly status: boolean;
  readonly ownerId: number;
  readonly bundle: string;
  readonly weight: number;
  /** The number of references to it, apart from those of narrower terms. */
  readonly uses: number;
  /** The names of the terms above it. */
  readonly parents: string;
}

interface TermQuery {
  readonly vocabulary: string;
  /** A part of the name in lower case; empty for all. */
  readonly text: string;
  readonly limit: number;
  readonly offset: number;
}

const above = alias(terms, 'above');
const weight = sql<number>`coalesce(${terms.document} ->> '$.weight[0].value', 0)`;

const uses = usesOfTerm(terms.id);
/** The row of a merged term has no folded name. */
const isListed = ({ vocabulary, text }: Named<Pick<TermQuery, 'vocabulary' | 'text'>>) =>
  and(
    eq(terms.bundle, vocabulary),
    sql`${terms.foldedLabel} IS NOT NULL AND (${text} = '' OR instr(${terms.foldedLabel}, ${text}) > 0)`,
  );

const listed = prepare(({ vocabulary, text, limit, offset }: Named<TermQuery>) =>
  plain(
    sql`SELECT ${terms.id}, ${terms.label}, ${terms.status}, ${terms.ownerId}, ${terms.bundle}, ${weight}, ${uses},
        (SELECT coalesce(group_concat(${above.label}, ', '), '') FROM json_each(${terms.document}, '$.parent') item
          JOIN ${terms} ${above} ON ${above.id} = item.value ->> '$.target_id')
      FROM ${terms}
      WHERE ${isListed({ vocabulary, text })}
      ORDER BY ${weight}, ${terms.sortLabel}, ${asc(terms.id)} LIMIT ${limit} OFFSET ${offset}`,
    {
      ...{ id: terms.id, label: terms.label, status: terms.status, ownerId: terms.ownerId, bundle: terms.bundle },
      ...{ weight, uses, parents: sql<string>`parents` },
    },
  ),
);

const countListed = prepare(({ vocabulary, text }: Named<Pick<TermQuery, 'vocabulary' | 'text'>>) =>
  query
    .select({ terms: count().as('terms') })
    .from(terms)
    .where(isListed({ vocabulary, text })),
);

/** Returns a page of the terms of a vocabulary whose names contain a text, by weight and then by name, and their number. */
export async function listVocabulary(
  database: Database,
  { vocabulary, text, limit, offset }: TermQuery,
): Promise<{ readonly terms: readonly ListedTerm[]; readonly total: number }> {
  const wanted = { vocabulary, text: foldLabel(text.trim()) };
  const result = await database.read({ terms: listed({ ...wanted, limit, offset }), total: countListed(wanted) });
  return { terms: result.terms, total: result.total[0]?.terms ?? 0 };
}
