import type { DecadeCount } from '../../search/search-types.ts';

/** The years of one bar, both included, and the number of results with a date in them. */
export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** The years of a bar: the first number with which a chart has at most `MAX_BARS`. */
const WIDTHS = [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000];
/** So that a bar of a narrow chart can be hit. */
const MAX_BARS = 24;

/** Returns the bars of a chart from the first to the last decade, with those between that have no results. */
export function decadeBars(decades: readonly DecadeCount[]): Bar[] {
  const [first, last] = [decades[0], decades.at(-1)];
  if (first === undefined || last === undefined) return [];
  const width =
    WIDTHS.find((each) => (begin(last.decade, each) - begin(first.decade, each)) / each < MAX_BARS) ??
    Math.ceil((last.decade - first.decade) / MAX_BARS / 10) * 10 + 10;
  const counts = new Map<number, number>();
  for (const { decade, count } of decades) {
    const from = begin(decade, width);
    counts.set(from, (counts.get(from) ?? 0) + count);
  }
  const start = begin(first.decade, width);
  const number = (begin(last.decade, width) - start) / width + 1;
  return Array.from({ length: number }, (_, at) => {
    const from = start + at * width;
    return { from, to: from + width - 1, count: counts.get(from) ?? 0 };
  });
}

const begin = (decade: number, width: number) => Math.floor(decade / width) * width;
