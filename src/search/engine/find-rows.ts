import type { Database } from '../../database/database.ts';
import type { ScoredHits } from '../postings/match-words.ts';
import type { WordSearch } from '../postings/word-search.ts';
import type { ParsedQuery } from '../query/parse-query.ts';
import { toExpression } from '../query/to-expression.ts';
import type { Viewer } from '../search-types.ts';
import { findHits } from './find-hits.ts';
import type { NodeTable } from './node-table.ts';
import { visibleTexts } from './visible-nodes.ts';

interface RowParts {
  readonly database: Database;
  readonly table: NodeTable;
  readonly pause: () => Promise<void>;
}

/** The nodes with the words of a query, with hidden ones. */
interface FoundRows {
  /** In the order of their ids. Undefined for a query without words. */
  readonly hits: Uint32Array | undefined;
  /** The same with their relevance, if it is known. */
  readonly scored: ScoredHits | undefined;
}

/**
 * Finds the nodes with the words of a query in the columns that the viewer may search. Of nodes whose files are closed, the texts
 * of media are not searched, which takes a second search for the viewers of such nodes.
 */
export async function findRows(
  { database, table, words, pause }: RowParts & { readonly words: WordSearch },
  parsed: ParsedQuery,
  viewer: Viewer,
): Promise<FoundRows> {
  const rowsOf = async (viewsMedia: boolean): Promise<FoundRows> => {
    const scored = await words.find(parsed, { viewsMedia }, table.words, pause);
    const { match } = toExpression(parsed, viewsMedia);
    const hits = scored?.hits ?? (match === undefined ? undefined : await findHits(database, match, pause));
    return { hits, scored };
  };
  const seesTexts = viewer.viewsMedia ? visibleTexts(table, viewer) : undefined;
  const all = await rowsOf(viewer.viewsMedia);
  if (seesTexts === undefined || all.hits === undefined) return all;
  // The next search overwrites what this one returned.
  const kept = { hits: all.hits.slice(), scores: all.scored?.scores.slice() };
  const closed = await rowsOf(false);
  const hits = joined(kept.hits, closed.hits ?? new Uint32Array(), seesTexts);
  const scores = closed.scored === undefined ? undefined : kept.scores;
  if (scores === undefined) return { hits, scored: undefined };
  for (const nid of hits) if (!seesTexts(nid)) scores[nid] = closed.scored?.scores[nid] ?? 0;
  return { hits, scored: { hits, scores } };
}

/** Finds the nodes to leave out of those of a query whose only words are such. */
export async function findRowsToLeaveOut(
  { database, table, pause }: RowParts,
  parsed: ParsedQuery,
  viewer: Viewer,
): Promise<Uint32Array> {
  const rowsOf = async (searchesMedia: boolean) => {
    const { without } = toExpression(parsed, searchesMedia);
    return without === undefined ? new Uint32Array() : findHits(database, without, pause);
  };
  const seesTexts = viewer.viewsMedia ? visibleTexts(table, viewer) : undefined;
  const all = await rowsOf(viewer.viewsMedia);
  return seesTexts === undefined ? all : joined(all, await rowsOf(false), seesTexts);
}

/** Returns the nodes of the first list whose texts are visible, and those of the second one whose texts are not. */
function joined(all: Uint32Array, closed: Uint32Array, seesTexts: (nid: number) => boolean): Uint32Array {
  const open = all.filter(seesTexts);
  const others = closed.filter((nid) => !seesTexts(nid));
  const both = new Uint32Array(open.length + others.length);
  both.set(open);
  both.set(others, open.length);
  return both.sort();
}
