import { numberText } from '../../base/in-words.ts';
import type { SearchData } from '../../representation/search/search-data.ts';
import { filterList, withFilter, withoutFilter } from '../../representation/search/search-state.ts';
import type { FacetResult } from '../../search/search-types.ts';
import { DateFacet } from './date-facet.tsx';
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
          <FacetList key={facet.name} facet={facet} data={data} linkTo={linkTo} />
        ),
      )}
    </details>
  );
}

interface ListProps {
  readonly facet: FacetResult;
  readonly data: SearchData;
  readonly linkTo: LinkTo;
}

/** A facet with its most frequent values, or with all on an address of its own. */
function FacetList({ facet: { name, label, values }, data: { state }, linkTo }: ListProps) {
  const isWhole = state.more === name;
  const chosen = new Set(state.filters[name]);
  // The chosen ones are shown wherever they stand.
  const shown = isWhole ? values : values.filter((each, at) => at < FIRST_VALUES || chosen.has(each.value));
  const id = `facet-${name}`;
  return (
    <section class="facet" id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{label}</h2>
      <ul>
        {shown.map(({ value, label: text, count }) => {
          const filter = { name, value };
          const isChosen = chosen.has(value);
          return (
            <li key={value}>
              <a
                rel="nofollow"
                class={isChosen ? 'is-chosen' : undefined}
                href={linkTo(isChosen ? withoutFilter(state, filter) : withFilter(state, filter))}
              >
                {isChosen && <span class="unseen">Remove the filter </span>}
                <bdi>{text}</bdi>
              </a>
              <span class="soft">{numberText(count)}</span>
            </li>
          );
        })}
      </ul>
      {values.length > shown.length && (
        <a class="facet-more" rel="nofollow" href={`${linkTo({ ...state, more: name })}#${id}`}>
          More<span class="unseen"> of {label}</span>
        </a>
      )}
      {isWhole && values.length > FIRST_VALUES && (
        <a class="facet-more" rel="nofollow" href={`${linkTo({ ...state, more: undefined })}#${id}`}>
          Fewer<span class="unseen"> of {label}</span>
        </a>
      )}
    </section>
  );
}
