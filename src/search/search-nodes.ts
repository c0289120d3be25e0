import { mediaAccess, nodeAccess, termAccess } from '../repository/access.ts';
import type { Visibility } from '../repository/access-rule.ts';
import type { Actor } from '../repository/actor.ts';
import type {
  SearchClient,
  SearchList,
  SearchQuery,
  SearchResult,
  SearchRunner,
  Suggestion,
  Viewer,
  ViewerAccess,
} from './search-types.ts';

/** The services of searches. */
export interface SearchServices {
  readonly search: SearchRunner;
}

const NOTHING: SearchResult = { total: 0, items: [], facets: [], decades: [], sort: 'relevance', ignored: [] };

/**
 * Finds nodes that the actor may view. Totals, facets, snippets and suggestions cover these only. Rejects with a
 * ServiceError: `malformed` for an `after` of another search, `over-capacity` with `Retry-After` if too many searches wait
 * or this one takes too long, `client-gone` if the signal of the client aborts.
 */
export async function searchNodes(
  { search }: SearchServices,
  actor: Actor,
  query: SearchQuery,
  client?: SearchClient,
): Promise<SearchResult> {
  const viewer = viewerOf(actor);
  return seesAny(viewer.nodes) ? search.search(viewer, query, client) : NOTHING;
}

/**
 * Finds the first nodes of a search that the actor may view, at most `limit` of them. `after` and `page` of the query do not
 * count. Rejects as `searchNodes` does.
 */
export async function listNodes(
  { search }: SearchServices,
  actor: Actor,
  query: SearchQuery,
  limit: number,
  client?: SearchClient,
): Promise<SearchList> {
  const viewer = viewerOf(actor);
  if (!seesAny(viewer.nodes)) return { total: 0, nids: [], isBuilding: undefined, ignored: [] };
  return search.list(viewer, query, limit, client);
}

/** Returns titles of nodes and collections with words that begin with a text, and names of terms that begin with it, that the actor may view. */
export async function suggest(
  { search }: SearchServices,
  actor: Actor,
  text: string,
  client?: SearchClient,
): Promise<Suggestion[]> {
  const viewer = viewerOf(actor);
  return seesAny(viewer.nodes) ? search.suggest(viewer, text, client) : [];
}

function viewerOf(actor: Actor): Viewer {
  return {
    id: actor.id,
    isAuthenticated: actor.isAuthenticated,
    nodes: nodeAccess.visibility(actor),
    terms: termAccess.visibility(actor),
    viewsMedia: mediaAccess.visibility(actor).published,
    access: accessOf(actor),
  };
}

function accessOf({ sight, editedTypes }: Actor): ViewerAccess {
  const { isUnlimited, version, verdicts, drafts, hasClosedFiles } = sight;
  return { isUnlimited, version, verdicts, drafts, hasClosedFiles, editedTypes: isUnlimited ? [] : editedTypes };
}

function seesAny({ published, unpublished }: Visibility): boolean {
  return published || unpublished !== 'none';
}
