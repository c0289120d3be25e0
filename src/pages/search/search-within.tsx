import type { ContentModel } from '../../model/content-model.ts';
import type { Facet } from '../../model/search-model.ts';
import { FILTER_PREFIX } from '../../representation/search/search-state.ts';
import { FindBox } from '../find-box.tsx';
import type { View } from '../view.ts';

/** A box for a search in a collection, with everything below it. Nothing if the site has no facet of collections. */
export function SearchCollection({ view }: { view: View }) {
  const facet = view.source.model.search.facets.find(({ kind }) => kind === 'collection');
  return <SearchWithin facet={facet} view={view} label="Search in this collection" />;
}

/** A box for a search among the items that refer to a term. Nothing if no facet of the site counts terms of its vocabulary. */
export function SearchTerm({ view }: { view: View }) {
  const facet = facetOfTerms(view.source.model, view.content.bundle.name);
  return <SearchWithin facet={facet} view={view} label="Search in these items" />;
}

function SearchWithin({ facet, view, label }: { facet: Facet | undefined; view: View; label: string }) {
  if (facet === undefined) return null;
  const { root, language, content } = view;
  const kept = [[FILTER_PREFIX + facet.name, String(content.head.id)]] as const;
  return <FindBox root={root} language={language} label={label} isNamed kept={kept} />;
}

/** Returns the facet of a field for terms of a vocabulary, and of the fewest others. */
function facetOfTerms({ search, nodeTypes }: ContentModel, vocabulary: string): Facet | undefined {
  const bundlesOf = ({ fields }: Facet) =>
    [...nodeTypes.values()]
      .flatMap(({ fieldNamed }) => fields.flatMap((field) => fieldNamed.get(field) ?? []))
      .filter(({ targetType }) => targetType === 'taxonomy_term')
      .flatMap(({ targetBundles }) => targetBundles ?? []);
  return search.facets
    .filter((facet) => facet.kind === 'reference' && bundlesOf(facet).includes(vocabulary))
    .sort((one, other) => new Set(bundlesOf(one)).size - new Set(bundlesOf(other)).size)[0];
}
