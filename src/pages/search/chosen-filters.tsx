import type { SearchData } from '../../representation/search/search-data.ts';
import { isNarrowed, refined, withoutFilter } from '../../representation/search/search-state.ts';
import type { LinkTo } from './search-linker.ts';
import { yearsText } from './search-words.ts';

interface Props {
  readonly data: SearchData;
  readonly linkTo: LinkTo;
}

/** The filters of a search, each as a link that removes it. Nothing without filters. */
export function ChosenFilters({ data: { state, chosen }, linkTo }: Props) {
  if (!isNarrowed(state)) return null;
  const hasYears = state.from !== undefined || state.to !== undefined;
  return (
    <nav class="chosen" aria-label="Chosen filters">
      <ul>
        {chosen.map(({ name, value, facet, label }) => (
          <Chip
            key={`${name} ${value}`}
            facet={facet}
            label={label}
            href={linkTo(withoutFilter(state, { name, value }))}
          />
        ))}
        {hasYears && (
          <Chip
            facet="Years"
            label={yearsText(state)}
            href={linkTo(refined(state, { from: undefined, to: undefined }))}
          />
        )}
        {chosen.length + Number(hasYears) > 1 && (
          <li>
            <a rel="nofollow" href={linkTo(refined(state, { filters: {}, from: undefined, to: undefined }))}>
              Remove all filters
            </a>
          </li>
        )}
      </ul>
    </nav>
  );
}

function Chip({ facet, label, href }: { facet: string; label: string; href: string }) {
  return (
    <li>
      <a class="chip" rel="nofollow" href={href}>
        <span class="unseen">Remove the filter </span>
        <span class="soft">{facet}: </span>
        <bdi>{label}</bdi>
      </a>
    </li>
  );
}
