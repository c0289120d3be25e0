import type { DecadeCount } from '../../search/search-types.ts';
import { type Bar, decadeBars } from './decade-bars.ts';
import { countedResults, yearText } from './search-words.ts';

interface Props {
  readonly decades: readonly DecadeCount[];
  readonly addressOf: (years: { readonly from: number; readonly to: number }) => string;
}

/** The size of a bar with its distance to the next one, and of the highest one, in units of the chart. */
const STEP = 10;
const BAR = 8.5;
const HEIGHT = 60;
/** The height of the lowest bar, which would not be seen otherwise. */
const MIN_HEIGHT = 2;

/** The number of results by decade, or by longer periods, as bars that lead to the results of their years. */
export function DecadeChart({ decades, addressOf }: Props) {
  const bars = decadeBars(decades);
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined) return null;
  const most = Math.max(...bars.map(({ count }) => count));
  return (
    <>
      <svg class="decades" viewBox={`0 0 ${bars.length * STEP} ${HEIGHT}`} preserveAspectRatio="none">
        <title>Items by date</title>
        {bars.map((bar, at) => bar.count > 0 && <BarLink bar={bar} at={at} most={most} address={addressOf(bar)} />)}
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

function BarLink({ bar, at, most, address }: { bar: Bar; at: number; most: number; address: string }) {
  const height = Math.max(MIN_HEIGHT, Math.round((bar.count / most) * HEIGHT));
  return (
    <a href={address} rel="nofollow">
      <title>{`${periodText(bar)}: ${countedResults(bar.count)}`}</title>
      {/* The whole height can be clicked. */}
      <rect class="area" x={at * STEP} width={STEP} height={HEIGHT} />
      <rect x={at * STEP} y={HEIGHT - height} width={BAR} height={height} />
    </a>
  );
}

/** Returns the years of a bar: "1920s", "1900 to 1949". */
function periodText({ from, to }: Bar): string {
  return to - from === 9 && from > 0 ? `${from}s` : `${yearText(from)} to ${yearText(to)}`;
}
