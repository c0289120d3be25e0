import type { LoadContext } from '../table/table-options.ts';
import { gatherTerms, type PackedTerm } from './gather-terms.ts';
import { historyOf, type State } from './history.ts';
import { readContent } from './read-content.ts';

/** What a package holds because something in it refers to it. */
export interface Gathered {
  readonly terms: ReadonlyMap<number, PackedTerm>;
  /** Paragraphs by their ids, with their revisions, oldest first. */
  readonly paragraphs: ReadonlyMap<number, readonly State[]>;
  /** Paragraphs that were looked for and are not there. */
  readonly lostParagraphs: readonly number[];
}

/** The terms and paragraphs that these states refer to, and those that they refer to in turn. */
export async function gatherReferred(context: LoadContext, states: readonly State[]): Promise<Gathered> {
  const paragraphs = new Map<number, readonly State[]>();
  const asked = new Set<number>();
  const lostParagraphs: number[] = [];
  for (;;) {
    const all = [...states, ...[...paragraphs.values()].flat()];
    const terms = await gatherTerms(context, idsOf(all, 'taxonomy_term'));
    const named = [...idsOf(all, 'paragraph'), ...[...terms.values()].flatMap((term) => [...term.paragraphs])];
    const missing = [...new Set(named)].filter((id) => !asked.has(id));
    if (missing.length === 0) return { terms, paragraphs, lostParagraphs };
    for (const id of missing) asked.add(id);
    const found = await readContent(context, 'paragraph', missing);
    const isThere = new Set(found.map(({ head }) => head.id));
    lostParagraphs.push(...missing.filter((id) => !isThere.has(id)));
    for (const content of found)
      if (content.kind.access.view(context.actor, content.head).isAllowed)
        paragraphs.set(content.head.id, await historyOf(context, content));
  }
}

/** The ids of one type that states refer to. */
export function idsOf(states: readonly State[], type: keyof State['refersTo']): Set<number> {
  return new Set(states.flatMap(({ refersTo }) => [...refersTo[type]]));
}
