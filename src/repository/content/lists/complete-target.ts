import { and, asc, eq, gte, lt, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { titleKeyOf } from '../../../base/fold-text.ts';
import type { Database } from '../../../database/database.ts';
import { query } from '../../../database/query-builder.ts';
import { contentTables, terms } from '../../../database/schema/content.ts';
import { nodeRecords } from '../../../database/schema/search.ts';
import { isAmong } from '../../../database/sql.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import { ownSetOf } from '../../access/set-columns.ts';
import type { LinkedType } from '../../access-rule.ts';
import { nodeOfWord, wordsBeginning } from '../../title-words.ts';
import { foldLabel } from '../content.ts';

/** An entity that a form may name as the target of a reference. */
export interface NamedTarget {
  readonly id: number;
  readonly label: string;
  readonly bundle: string;
  readonly ownerId: number;
  readonly status: boolean;
  readonly accessSet: number;
}

/** Above all characters of a text. */
const HIGHEST = '\u{10FFFF}';

const columnsOf = (type: LinkedType) => {
  const { id, label, bundle, ownerId, status } = contentTables[type];
  return { id, label, bundle, ownerId, status, accessSet: ownSetOf(type, id) };
};

/** Prepares a query for each type of content. */
function ofEachType<Statement>(build: (type: LinkedType) => Statement): Record<LinkedType, Statement> {
  return { node: build('node'), media: build('media'), taxonomy_term: build('taxonomy_term') };
}

const byIds = ofEachType((type) =>
  prepare(({ ids }: Named<{ ids: string }>) =>
    query.select(columnsOf(type)).from(contentTables[type]).where(isAmong(contentTables[type].id, ids)),
  ),
);

/** Returns entities by their ids. Missing ones are left out. */
export async function findNamed(database: Database, type: LinkedType, ids: readonly number[]): Promise<NamedTarget[]> {
  return ids.length === 0 ? [] : database.all(byIds[type]({ ids: JSON.stringify([...new Set(ids)]) }));
}

/** The terms of the index, before the chosen ones are read. */
const candidates = alias(terms, 'found');

type CompletionQuery = { readonly bundles: string; readonly from: string; readonly to: string; readonly limit: number };

// The first of each vocabulary by its index: an order over all of them would read every term that begins so.
const termsBeginning = prepare(({ bundles, from, to, limit }: Named<CompletionQuery>) =>
  plain(
    sql`SELECT ${terms.id}, ${terms.label}, ${terms.bundle}, ${terms.ownerId}, ${terms.status}, 0
      FROM json_each(${bundles}) wanted JOIN ${terms} ON ${terms.id} IN (
        SELECT ${candidates.id} FROM ${terms} ${candidates}
        WHERE ${candidates.bundle} = wanted.value AND ${candidates.foldedLabel} >= ${from} AND ${candidates.foldedLabel} < ${to}
        ORDER BY ${candidates.foldedLabel} LIMIT ${limit})
      ORDER BY ${terms.sortLabel}, ${terms.id} LIMIT ${limit}`,
    columnsOf('taxonomy_term'),
  ),
);

// Reads the index only, until enough are found.
const termsContaining = prepare(({ bundles, text, limit }: Named<{ bundles: string; text: string; limit: number }>) =>
  plain(
    sql`SELECT ${terms.id}, ${terms.label}, ${terms.bundle}, ${terms.ownerId}, ${terms.status}, 0 FROM ${terms}
      WHERE ${terms.id} IN (SELECT ${candidates.id} FROM ${terms} ${candidates}
        WHERE ${isAmong(candidates.bundle, bundles)} AND instr(${candidates.foldedLabel}, ${text}) > 1 LIMIT ${limit})
      ORDER BY ${terms.sortLabel}, ${terms.id}`,
    columnsOf('taxonomy_term'),
  ),
);

// As long as `node_record.title_key`.
const MAX_TITLE_CHARACTERS = 64;

const nodesBeginning = prepare(({ from, to, limit }: Named<{ from: string; to: string; limit: number }>) =>
  query
    .select(columnsOf('node'))
    .from(nodeRecords)
    .innerJoin(contentTables.node, eq(contentTables.node.id, nodeRecords.nid))
    .where(and(gte(nodeRecords.titleKey, from), lt(nodeRecords.titleKey, to), eq(nodeRecords.isDeleted, false)))
    .orderBy(asc(nodeRecords.titleKey), asc(nodeRecords.nid))
    .limit(limit),
);

/** Returns nodes whose titles begin with a text, then those with a later word that does, at most `limit`. */
export async function completeNode(database: Database, text: string, limit: number): Promise<NamedTarget[]> {
  const from = titleKeyOf(text.trim()).slice(0, MAX_TITLE_CHARACTERS);
  const first = await database.all(nodesBeginning({ from, to: from + HIGHEST, limit }));
  if (first.length >= limit || from === '') return first;
  const known = new Set(first.map(({ id }) => id));
  const words = await database.all(wordsBeginning(from, limit));
  const ids = [...new Set(words.map(nodeOfWord))].filter((id) => !known.has(id));
  const others = new Map((await findNamed(database, 'node', ids)).map((node) => [node.id, node]));
  const inOrder = ids.flatMap((id) => others.get(id) ?? []).filter(({ label }) => titleKeyOf(label).includes(from));
  return [...first, ...inOrder].slice(0, limit);
}

/** Returns terms of vocabularies whose names begin with a text, then those that contain it, at most `limit`. */
export async function completeTerm(
  database: Database,
  vocabularies: readonly string[],
  text: string,
  limit: number,
): Promise<NamedTarget[]> {
  const folded = foldLabel(text.trim());
  const bundles = JSON.stringify(vocabularies);
  const first = await database.all(termsBeginning({ bundles, from: folded, to: folded + HIGHEST, limit }));
  if (first.length >= limit || folded === '') return first;
  const others = await database.all(termsContaining({ bundles, text: folded, limit: limit - first.length }));
  return [...first, ...others.filter(({ id }) => !first.some((each) => each.id === id))];
}

const termsNamed = prepare(({ bundles, folded, limit }: Named<{ bundles: string; folded: string; limit: number }>) =>
  query
    .select(columnsOf('taxonomy_term'))
    .from(contentTables.taxonomy_term)
    .where(and(isAmong(terms.bundle, bundles), eq(terms.foldedLabel, folded)))
    .orderBy(asc(terms.id))
    .limit(limit),
);

/** Returns the terms of vocabularies with a name in any case, at most `limit`. */
export function termsOfName(
  database: Database,
  vocabularies: readonly string[],
  name: string,
  limit: number,
): Promise<NamedTarget[]> {
  return database.all(termsNamed({ bundles: JSON.stringify(vocabularies), folded: foldLabel(name.trim()), limit }));
}
