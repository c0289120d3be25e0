import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { type Named, plain, prepare } from '../database/statement.ts';
import type { ChangedSource } from '../repository/content/write/announce-source.ts';
import { nodesOfMedia } from '../repository/relations.ts';
import { hasPredecessor } from './add-jobs.ts';
import { findNodeFacts, type NodeFacts } from './node-facts.ts';
import type { DerivativeAction, DerivativeRules } from './rules.ts';
import { type NamedTerm, referredTerms, type TermUris } from './term-uris.ts';

/** The media of a node with a use and a type, which the derivatives of some actions replace. */
export interface DerivativePlace {
  readonly node: NodeFacts;
  readonly term: NamedTerm;
  /** The name of a media type. */
  readonly mediaType: string;
  readonly actions: readonly DerivativeAction[];
}

/** Finds the places of all derivatives that any action can have made of a source. `mediaId` is that of its media. */
export type FindPlaces = (database: Database, mediaId: number, source: ChangedSource) => Promise<DerivativePlace[]>;

const predecessors = prepare(({ node, term, mediaId }: Named<{ node: number; term: number; mediaId: number }>) =>
  plain(sql`SELECT ${hasPredecessor(sql`${node}`, sql`${term}`, sql`${mediaId}`)}`, { exists: sql<number>`found` }),
);

/** Creates the function that finds places, for rules with any conditions: these may have changed since. */
export function createFindPlaces(rules: DerivativeRules, terms: TermUris): FindPlaces {
  return async (database, mediaId, { type, values, chain }) => {
    const [nodeId] = nodesOfMedia(values);
    if (nodeId === undefined) return [];
    const uris = await terms.of(referredTerms(type, values));
    const actions = [...rules.actions.values()].filter(
      ({ name, sourceTerm, derivativeTerm, ofMembers }) =>
        // A derivative does not withdraw the one that it was made of.
        !chain.includes(name) && uris.has(sourceTerm) && (ofMembers !== undefined || !uris.has(derivativeTerm)),
    );
    if (actions.length === 0) return [];
    const node = await findNodeFacts(database, terms, nodeId);
    if (node === undefined) return [];
    const places = new Map<string, DerivativePlace>();
    for (const action of actions) {
      const [term, subject] = await Promise.all([
        terms.first(action.derivativeTerm),
        subjectOf(database, action, node, mediaId),
      ]);
      if (term === undefined || subject === undefined) continue;
      const key = `${subject.id} ${term.id} ${action.mediaType}`;
      const others = places.get(key)?.actions ?? [];
      places.set(key, { node: subject, term, mediaType: action.mediaType, actions: [...others, action] });
    }
    return [...places.values()];
  };

  /** Returns the node of a derivative; undefined if the media is no source of the action. */
  async function subjectOf(
    database: Database,
    { sourceTerm, ofMembers }: DerivativeAction,
    node: NodeFacts,
    mediaId: number,
  ): Promise<NodeFacts | undefined> {
    if (ofMembers !== undefined) {
      const parent = node.parentId === undefined ? undefined : await findNodeFacts(database, terms, node.parentId);
      return parent && ofMembers.parentTerms.some((uri) => parent.terms.has(uri)) ? parent : undefined;
    }
    // Only the first media of a node with a use is a source.
    const term = await terms.first(sourceTerm);
    if (term === undefined) return undefined;
    const row = await database.get(predecessors({ node: node.id, term: term.id, mediaId }));
    return row?.exists === 1 ? undefined : node;
  }
}
