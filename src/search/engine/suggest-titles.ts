import { and, asc, eq, gte, lt, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { titleKeyOf } from '../../base/fold-text.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { terms } from '../../database/schema/content.ts';
import { nodeRecords } from '../../database/schema/search.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { entityPath } from '../../paths.ts';
import { nodeOfWord, wordsBeginning } from '../../repository/title-words.ts';
import type { Suggestion, Viewer } from '../search-types.ts';
import type { SearchSetup } from '../setup.ts';
import { isNodeVisibleTo, isTermVisibleTo } from '../visible-to.ts';
import { findNodeLabels } from './labels.ts';

/** The most suggestions, and the rows that are read for those of each kind: some may be hidden, or equal. */
const MAX_SUGGESTIONS = 10;
const MAX_TERMS = 4;
const ROWS = 40;
const MIN_CHARACTERS = 2;
/** The length of `node_record.title_key`. */
const MAX_CHARACTERS = 64;
/** Above all characters of a text. */
const HIGHEST = '\u{10FFFF}';

interface Beginning {
  readonly from: string;
  readonly to: string;
}

const findTitles = prepare(({ from, to }: Named<Beginning>) =>
  query
    .select({ nid: nodeRecords.nid })
    .from(nodeRecords)
    .where(and(gte(nodeRecords.titleKey, from), lt(nodeRecords.titleKey, to), eq(nodeRecords.isDeleted, false)))
    .orderBy(asc(nodeRecords.titleKey), asc(nodeRecords.nid))
    .limit(ROWS),
);

const term = alias(terms, 'term');
const beginning = alias(terms, 'beginning');

// The first terms of each vocabulary: an order over all of them would read every term that begins so.
const findTerms = prepare(({ vocabularies, from, to }: Named<Beginning & { vocabularies: string }>) =>
  plain(
    sql`SELECT ${term.id}, ${term.label}, ${term.status}, ${term.ownerId} FROM json_each(${vocabularies}) vocabulary
      JOIN ${terms} ${term} ON ${term.id} IN (SELECT ${beginning.id} FROM ${terms} ${beginning}
        WHERE ${beginning.bundle} = vocabulary.value AND ${beginning.foldedLabel} >= ${from}
          AND ${beginning.foldedLabel} < ${to} ORDER BY ${beginning.foldedLabel} LIMIT ${sql.raw(String(MAX_TERMS))})
      ORDER BY ${term.foldedLabel}, ${term.id}`,
    { id: term.id, label: term.label, status: term.status, ownerId: term.ownerId },
  ),
);

/** Returns titles of nodes with words that begin with a text, and names of terms that begin with it, that the viewer may view. */
export async function suggestTitles(
  database: Database,
  setup: SearchSetup,
  viewer: Viewer,
  typed: string,
): Promise<Suggestion[]> {
  const text = typed.replaceAll('\0', '').slice(0, MAX_CHARACTERS).trimStart().toWellFormed();
  const title = titleKeyOf(text);
  if (title.length < MIN_CHARACTERS) return [];
  const name = text.toLowerCase();
  const rows = await database.read({
    titles: findTitles({ from: title, to: title + HIGHEST }),
    words: wordsBeginning(title, ROWS),
    terms: findTerms({ vocabularies: JSON.stringify(setup.vocabularies), from: name, to: name + HIGHEST }),
  });
  const nids = [...new Set([...rows.titles.map(({ nid }) => nid), ...rows.words.map(nodeOfWord)])];
  const nodes = await findNodeLabels(database, setup, nids);
  const ofTerms = rows.terms
    .filter((row) => isTermVisibleTo(viewer, row))
    .slice(0, MAX_TERMS)
    .map(({ id, label }): Suggestion => ({ text: label, kind: 'term', url: entityPath.taxonomy_term(id) }));
  const ofNodes = nids.flatMap((nid): Suggestion[] => {
    const node = nodes.get(nid);
    // Words have fewer characters than were typed.
    if (node === undefined || !titleKeyOf(node.label).includes(title)) return [];
    if (!isNodeVisibleTo(viewer, node)) return [];
    return [{ text: node.label, kind: node.isCollection ? 'collection' : 'title', url: entityPath.node(nid) }];
  });
  const titles = withoutRepetition(ofNodes).slice(0, MAX_SUGGESTIONS - ofTerms.length);
  return [
    ...titles.filter(({ kind }) => kind === 'collection'),
    ...titles.filter(({ kind }) => kind === 'title'),
    ...ofTerms,
  ];
}

/** Pages of books are often called the same. */
function withoutRepetition(suggestions: readonly Suggestion[]): Suggestion[] {
  const texts = new Set<string>();
  return suggestions.filter(({ text }) => !texts.has(text) && texts.add(text));
}
