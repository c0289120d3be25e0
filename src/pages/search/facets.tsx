import { numberText } from '../../base/in-words.ts';
import { paths } from '../../paths.ts';
import type { SearchData } from '../../representation/search/search-data.ts';
import { FILTER_PREFIX, filterList, withFilter, withoutFilter } from '../../representation/search/search-state.ts';
import type { FacetCount, FacetResult } from '../../search/search-types.ts';
import { DateFacet } from './date-facet.tsx';
import { linksFacets, SearchButton } from './search-forms.tsx';
import type { LinkTo } from './search-linker.ts';

/** The number of values of a facet that the page shows at first. */
const FIRST_VALUES = 6;

interface Props {
  readonly data: SearchData;
  readonly linkTo: LinkTo;
  /** The path prefix of the site. */
  readonly root: string;
}

/** The values by which a reader can narrow a search, with the number of results of each. Folded on a phone. */
export function Facets({ data, linkTo, root }: Props) {
  const { state, facets } = data;
  const count = filterList(state.filters).length;
  return (
    <details class="narrow" open={state.more !== undefined}>
      <summary>Narrow the results{count > 0 && <span class="soft"> ({count} chosen)</span>}</summary>
      {facets.map((facet) =>
        facet.name === data.decadeFacet ? (
          <DateFacet key={facet.name} facet={facet} data={data} linkTo={linkTo} root={root} />
        ) : (
          <FacetList key={facet.name} facet={facet} data={data} linkTo={linkTo} root={root} />
        ),
      )}
    </details>
  );
}

interface ListProps extends Props {
  readonly facet: FacetResult;
}

/** A facet with its most frequent values, or with all on an address of its own. */
function FacetList({ facet: { name, label, values }, data, linkTo, root }: ListProps) {
  const { state } = data;
  const isWhole = state.more === name;
  const chosen = new Set(state.filters[name]);
  // The chosen ones are shown wherever they stand.
  const shown = isWhole ? values : values.filter((each, at) => at < FIRST_VALUES || chosen.has(each.value));
  const id = `facet-${name}`;
  return (
    <section class="facet" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{label}</h2>
      <ul>
        {shown.map((each) => (
          <li key={each.value}>
            <FacetChoice name={name} value={each} data={data} linkTo={linkTo} />
            <span class="soft">{numberText(each.count)}</span>
          </li>
        ))}
      </ul>
      {values.length > shown.length && (
        <SearchButton form="narrow" name="more" value={name} class="facet-more" action={`${root}${paths.search}#${id}`}>
          More<span class="unseen"> of {label}</span>
        </SearchButton>
      )}
      {isWhole && values.length > FIRST_VALUES && (
        <a class="facet-more" rel="nofollow" href={`${linkTo({ ...state, more: undefined })}#${id}`}>
          Fewer<span class="unseen"> of {label}</span>
        </a>
      )}
    </section>
  );
}

interface ChoiceProps extends Omit<Props, 'root'> {
  /** The name of the facet. */
  readonly name: string;
  readonly value: FacetCount;
}

/** A value of a facet: a link that chooses it or, where links would be too many, a button. A chosen one is a link that removes it. */
function FacetChoice({ name, value: { value, label, count }, data, linkTo }: ChoiceProps) {
  const { state, total } = data;
  const filter = { name, value };
  if (state.filters[name]?.includes(value))
    return (
      <a rel="nofollow" class="is-chosen" href={linkTo(withoutFilter(state, filter))}>
        <span class="unseen">Remove the filter </span>
        <bdi>{label}</bdi>
      </a>
    );
  // All results have the value: the link would lead to the same ones.
  if (!linksFacets(data) || count === total)
    return (
      <SearchButton form="narrow" name={FILTER_PREFIX + name} value={value}>
        <bdi>{label}</bdi>
      </SearchButton>
    );
  return (
    <a rel="nofollow" href={linkTo(withFilter(state, filter))}>
      <bdi>{label}</bdi>
    </a>
  );
}
