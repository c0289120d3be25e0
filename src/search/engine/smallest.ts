/** Keys that are kept before they are sorted and cut, beyond those asked for. */
const SLACK = 1_024;

/** Returns the `count` smallest of the keys above `after`, sorted. */
export function smallest(
  nodes: Uint32Array,
  keyOf: (nid: number) => number,
  count: number,
  after = Number.NEGATIVE_INFINITY,
): Float64Array {
  const kept = new Float64Array(Math.min(nodes.length, 2 * count + SLACK));
  let size = 0;
  let limit = Number.POSITIVE_INFINITY;
  for (let index = 0; index < nodes.length; index++) {
    const key = keyOf(nodes[index] as number);
    if (key >= limit || key <= after) continue;
    kept[size++] = key;
    if (size < kept.length || size <= count) continue;
    kept.sort();
    size = count;
    limit = kept[count - 1] as number;
  }
  return kept.subarray(0, size).sort().subarray(0, count);
}
