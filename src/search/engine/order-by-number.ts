import { MAX_NID, NO_YEAR, type NodeTable } from './node-table.ts';
import type { Position } from './position.ts';
import { smallest } from './smallest.ts';

/** The part of an order that a page shows. */
export interface Section {
  readonly offset: number;
  readonly size: number;
  /** The item before the section; the offset is then 0. */
  readonly after: Position | undefined;
}

/** A part of an order: nodes, and what the position of a node in it is. */
export interface Ordered {
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
): Ordered {
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
