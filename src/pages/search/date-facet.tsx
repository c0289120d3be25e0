import { paths } from '../../paths.ts';
import type { SearchData } from '../../representation/search/search-data.ts';
import { refined, searchParameters } from '../../representation/search/search-state.ts';
import type { DecadeCount, FacetResult } from '../../search/search-types.ts';
import { HiddenParameters } from '../find-box.tsx';
import { type Bar, decadeBars } from './decade-bars.ts';
import { linksFacets } from './search-forms.tsx';
import type { LinkTo } from './search-linker.ts';
import { countedResults, yearText } from './search-words.ts';

interface Props {
  readonly facet: FacetResult;
  readonly data: SearchData;
  readonly linkTo: LinkTo;
  /** The path prefix of the site. */
  readonly root: string;
}

/** The dates of the results: a chart whose bars are links, and a form for a range of years. */
export function DateFacet({ facet: { name, label }, data, linkTo, root }: Props) {
  const { state, decades } = data;
  const id = `facet-${name}-title`;
  return (
    <section class="facet" aria-labelledby={id}>
      <h2 id={id}>{label}</h2>
      <DecadeChart
        decades={decades}
        addressOf={linksFacets(data) ? (years) => linkTo(refined(state, years)) : undefined}
      />
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

interface DecadeChartProps {
  readonly decades: readonly DecadeCount[];
  /** Undefined: the bars are no links, and the form below them narrows the search. */
  readonly addressOf: ((years: { readonly from: number; readonly to: number }) => string) | undefined;
}

/** The size of a bar with its distance to the next one, and of the highest one, in units of the chart. */
const STEP = 10;
const BAR = 8.5;
const HEIGHT = 60;
/** The height of the lowest bar, which would not be seen otherwise. */
const MIN_HEIGHT = 2;

/** The number of results by decade, or by longer periods, as bars that may lead to the results of their years. */
function DecadeChart({ decades, addressOf }: DecadeChartProps) {
  const bars = decadeBars(decades);
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined) return null;
  const most = Math.max(...bars.map(({ count }) => count));
  return (
    <>
      <svg class="decades" viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`} preserveAspectRatio="none">
        <title>Items by date</title>
        {bars.map(
          (bar, at) => bar.count > 0 && <BarOfYears bar={bar} at={at} most={most} address={addressOf?.(bar)} />,
        )}
      </svg>
      {bars.length > 1 && (
        <p class="decades-ends" aria-hidden="true">
          <span>{yearText(first.from)}</span>
          <span>{yearText(last.to)}</span>
        </p>
      )}
    </>
  );
}

interface BarProps {
  readonly bar: Bar;
  readonly at: number;
  readonly most: number;
  readonly address: string | undefined;
}

function BarOfYears({ bar, at, most, address }: BarProps) {
  const height = Math.max(MIN_HEIGHT, Math.round((bar.count / most) * HEIGHT));
  const parts = (
    <>
      <title>{`${periodText(bar)}: ${countedResults(bar.count)}`}</title>
      {/* The whole height can be clicked. */}
      <rect class="area" x={at * STEP} width={STEP} height={HEIGHT} />
      <rect x={at * STEP} y={HEIGHT - height} width={BAR} height={height} />
    </>
  );
  if (address === undefined) return <g>{parts}</g>;
  return (
    <a href={address} rel="nofollow">
      {parts}
    </a>
  );
}

/** Returns the years of a bar: "1920s", "1900 to 1949". */
function periodText({ from, to }: Bar): string {
  return to - from === 9 && from > 0 ? `${from}s` : `${yearText(from)} to ${yearText(to)}`;
}
