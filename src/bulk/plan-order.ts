/** The weights that the fields of the members accept. */
export interface WeightRange {
  readonly lowest: number;
  readonly highest: number;
}

/**
 * Returns weights that rise in the order of the members, and of which as many as possible are the present ones. The first of
 * entirely new ones is 1, if the range has it. Undefined if the range has too few weights.
 */
export function planOrder(
  present: readonly (number | null)[],
  { lowest, highest }: WeightRange,
): readonly number[] | undefined {
  const count = present.length;
  if (count > highest - lowest + 1) return undefined;
  // A weight may stay if those before and behind it find room: then the weights less the places never fall.
  const spare = present.map((weight, at) => (weight === null ? undefined : weight - at));
  const isPossible = (value: number) => value >= lowest && value <= highest - count + 1;
  const kept = longestNotFalling(spare.map((value) => (value !== undefined && isPossible(value) ? value : undefined)));
  const first = kept[0];
  if (first === undefined) {
    const start = Math.min(Math.max(lowest, 1), highest - count + 1);
    return present.map((_, at) => start + at);
  }
  let base = spare[first] ?? 0;
  const isKept = new Set(kept);
  return present.map((_, at) => {
    if (isKept.has(at)) base = spare[at] ?? base;
    return base + at;
  });
}

/** Returns the places of a longest subsequence that never falls, without the undefined values. */
function longestNotFalling(values: readonly (number | undefined)[]): number[] {
  /** The places at which the best subsequence of each length ends. */
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  for (const [at, value] of values.entries()) {
    if (value === undefined) continue;
    const length = countUpTo(ends, values, value);
    previous[at] = ends[length - 1];
    ends[length] = at;
  }
  const chain: number[] = [];
  for (let at = ends.at(-1); at !== undefined; at = previous[at]) chain.push(at);
  return chain.reverse();
}

/** Returns the number of ends with at most a value, which rise: by bisection. */
function countUpTo(ends: readonly number[], values: readonly (number | undefined)[], value: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((values[ends[middle] ?? 0] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
