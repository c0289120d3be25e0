import { MAX_NID, NO_YEAR, type NodeTable } from './node-table.ts';
import type { Position } from './position.ts';

/** The part of an order that a page shows. */
export interface Section {
  readonly offset: number;
  readonly size: number;
  /** The item before the section; the offset is then 0. */
  readonly after: Position | undefined;
}

/** A part of an order: nodes, and what the position of a node in it is. */
export interface NodeOrder {
  readonly nids: readonly number[];
  readonly keyOf: (nid: number, index: number) => Promise<string | number>;
}

/** Bits of a number that represents all smaller integers, and those of a time in seconds. */
const EXACT_BITS = 53;
const TIME_BITS = 32;
const YEARS = 65_536;

/** Packs what an order compares, and the id of the node, into one number. */
interface Packing {
  /** Packs an id and the value of that node, or a value that it had. */
  pack(nid: number, value: number): number;
  unpack(key: number): number;
  valueAt(nid: number): number;
}

/** Returns a section of the nodes by date (the oldest first, undated last), or the newest nodes first. */
export function orderByNumber(
  table: NodeTable,
  nodes: Uint32Array,
  sort: 'date' | 'newest',
  { offset, size, after }: Section,
): NodeOrder {
  const { pack, unpack, valueAt } = sort === 'date' ? byDate(table) : byNewest(table);
  const keyOf = (nid: number) => pack(nid, valueAt(nid));
  const from = after && pack(after.nid, Number(after.key));
  const keys = smallest(nodes, keyOf, offset + size, from).subarray(offset);
  return { nids: Array.from(keys, unpack), keyOf: async (nid) => valueAt(nid) };
}

function byDate(table: NodeTable): Packing {
  const { from } = table;
  return {
    valueAt: (nid) => from[nid] as number,
    pack: (nid, year) => (year === NO_YEAR ? YEARS : year - NO_YEAR) * (MAX_NID + 1) + nid,
    unpack: (key) => key % (MAX_NID + 1),
  };
}

/** Beyond two million nodes the seconds of a time lose their last bits: such nodes follow in the order of their ids. */
function byNewest(table: NodeTable): Packing {
  const { created } = table;
  const bits = Math.ceil(Math.log2(table.length + 1));
  const rows = 2 ** bits;
  const unit = 2 ** Math.max(0, TIME_BITS + bits - EXACT_BITS);
  const latest = Math.floor(2 ** TIME_BITS / unit);
  return {
    valueAt: (nid) => created[nid] as number,
    pack: (nid, time) => (latest - Math.floor(time / unit)) * rows + (rows - 1 - nid),
    unpack: (key) => rows - 1 - (key % rows),
  };
}

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
