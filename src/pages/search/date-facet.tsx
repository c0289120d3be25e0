import { paths } from '../../paths.ts';
import type { SearchData } from '../../representation/search/search-data.ts';
import { refined, searchParameters } from '../../representation/search/search-state.ts';
import type { FoundFacet } from '../../search/search-types.ts';
import { DecadeChart } from './decade-chart.tsx';
import { HiddenParameters } from './find-box.tsx';
import type { LinkTo } from './search-linker.ts';

interface Props {
  readonly facet: FoundFacet;
  readonly data: SearchData;
  readonly linkTo: LinkTo;
  /** The path prefix of the site. */
  readonly root: string;
}

/** The dates of the results: a chart whose bars are links, and a form for a range of years. */
export function DateFacet({ facet: { name, label }, data: { state, decades }, linkTo, root }: Props) {
  const id = `facet-${name}-title`;
  return (
    <section class="facet" aria-labelledby={id}>
      <h2 id={id}>{label}</h2>
      <DecadeChart decades={decades} addressOf={(years) => linkTo(refined(state, years))} />
      <form class="years" action={root + paths.search}>
        <HiddenParameters parameters={searchParameters(refined(state, { from: undefined, to: undefined }))} />
        <YearField name="from" label="From year" value={state.from} />
        <YearField name="to" label="To year" value={state.to} />
        <button class="button quiet" type="submit">
          Apply
        </button>
      </form>
    </section>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: number | undefined;
}

function YearField({ name, label, value }: FieldProps) {
  return (
    <label>
      <span>{label}</span>
      <input name={name} type="text" inputmode="numeric" pattern="-?[0-9]{1,4}" maxlength={5} value={value} />
    </label>
  );
}
