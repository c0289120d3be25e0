import type { Doclist } from './find-doclist.ts';

/** The rows with a word, in the order of their segments. The arrays are used again for the next word. */
export class Postings {
  nids = new Uint32Array(1_024);
  /** The weights of the columns of a row, each as often as the word is in it. */
  frequencies = new Float32Array(1_024);
  size = 0;

  grow(): void {
    const [nids, frequencies] = [this.nids, this.frequencies];
    this.nids = new Uint32Array(nids.length * 2);
    this.nids.set(nids);
    this.frequencies = new Float32Array(frequencies.length * 2);
    this.frequencies.set(frequencies);
  }
}

/** What counts of a posting. */
export interface ColumnWeights {
  /** By the number of the column. */
  readonly weights: Float64Array;
  /** 1 for a column that is searched. */
  readonly isSearched: Uint8Array;
}

/** A set of ids, one bit each; undefined for an empty one. */
export type IdSet = Uint32Array | undefined;

const COLUMN_FOLLOWS = 1;

/**
 * Adds the rows of a doclist that have the word in a searched column, without `dead` ones. Its format is described in
 * `fts5_index.c` of SQLite, "Details". Searches spend most of their time in this loop. Throws RangeError for a damaged
 * doclist.
 */
export function readPostings(
  { bytes, wholeIds }: Doclist,
  { weights, isSearched }: ColumnWeights,
  dead: IdSet,
  postings: Postings,
): void {
  const end = bytes.length;
  let { nids, frequencies, size } = postings;
  let whole = 0;
  let nextWhole = wholeIds[0] ?? end;
  let nid = 0;
  for (let at = 0; at < end; ) {
    if (at === nextWhole) {
      nid = 0;
      nextWhole = wholeIds[++whole] ?? end;
    }
    let byte = bytes[at++] as number;
    let value = byte & 0x7f;
    while (byte >= 0x80) {
      byte = bytes[at++] as number;
      value = value * 128 + (byte & 0x7f);
    }
    nid += value;
    byte = bytes[at++] as number;
    value = byte & 0x7f;
    while (byte >= 0x80) {
      byte = bytes[at++] as number;
      value = value * 128 + (byte & 0x7f);
    }
    // The lowest bit marks a deletion, which an index of this kind does not have.
    const last = at + (value >>> 1);
    if (last > end) throw new RangeError('the postings of a word are damaged');
    let column = 0;
    let weight = weights[0] as number;
    let frequency = 0;
    let isHit = 0;
    while (at < last) {
      byte = bytes[at++] as number;
      if (byte === COLUMN_FOLLOWS) {
        column = bytes[at++] as number;
        weight = weights[column] as number;
      } else {
        while (byte >= 0x80) byte = bytes[at++] as number;
        isHit |= isSearched[column] as number;
        frequency += weight;
      }
    }
    if (isHit === 0 || (dead !== undefined && ((dead[nid >>> 5] as number) & (1 << (nid & 31))) !== 0)) continue;
    if (size === nids.length) {
      postings.grow();
      ({ nids, frequencies } = postings);
    }
    nids[size] = nid;
    frequencies[size++] = frequency;
  }
  postings.size = size;
}
