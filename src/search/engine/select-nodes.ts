import type { Viewer } from '../search-types.ts';
import type { Collections } from './collections.ts';
import { NO_YEAR, type NodeTable } from './node-table.ts';
import { visibleNodes } from './visible-nodes.ts';

/** The conditions on nodes beside their words. */
export interface Conditions {
  readonly viewer: Viewer;
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** Numbers of the dictionary; undefined for a value that no node has. */
  readonly values: readonly (number | undefined)[];
}

/** The maximum number of conditions on values: one bit each. */
export const MAX_VALUES = 30;

/**
 * Returns those of the nodes that the viewer may view and that meet the conditions, in the order given. `hits` is undefined
 * for all nodes.
 */
export function selectNodes(
  table: NodeTable,
  collections: Collections,
  hits: Uint32Array | undefined,
  { viewer, from, to, values }: Conditions,
): Uint32Array {
  if (values.includes(undefined)) return new Uint32Array();
  const { length } = table;
  const isVisible = visibleNodes(table, viewer);
  const { isDated, first, last, required, bits } = readConditions(table, collections, { from, to, values });
  const count = hits === undefined ? length : hits.length;
  const selected = new Uint32Array(hits === undefined ? table.count : count);
  let size = 0;
  for (let index = 0; index < count; index++) {
    const nid = hits === undefined ? index : (hits[index] as number);
    // A hit of a write that the table does not have yet.
    if (nid >= length) continue;
    if (!isVisible(nid)) continue;
    if (isDated) {
      const start = table.from[nid] as number;
      if (start === NO_YEAR || start > last || (table.to[nid] as number) < first) continue;
    }
    if (bits !== undefined && metBy(table, nid, bits) !== required) continue;
    selected[size++] = nid;
  }
  return selected.subarray(0, size);
}

function readConditions(table: NodeTable, collections: Collections, { from, to, values }: Omit<Conditions, 'viewer'>) {
  const required = 2 ** values.length - 1;
  return {
    isDated: from !== undefined || to !== undefined,
    first: from ?? NO_YEAR + 1,
    last: to ?? -NO_YEAR,
    required,
    bits: required === 0 ? undefined : bitsOf(table, collections, values as readonly number[]),
  };
}

/** Returns a function that tells whether two nodes, as one, meet conditions on values and years. */
export function conditionsOf(table: NodeTable, collections: Collections, conditions: Conditions) {
  const { isDated, first, last, required, bits } = readConditions(table, collections, conditions);
  const isWithin = (nid: number) => {
    const start = table.from[nid] as number;
    return start !== NO_YEAR && start <= last && (table.to[nid] as number) >= first;
  };
  return {
    meets(one: number, other: number): boolean {
      if (isDated && !isWithin(one) && !isWithin(other)) return false;
      return bits === undefined || (metBy(table, one, bits) | metBy(table, other, bits)) === required;
    },
  };
}

/** Returns for each value of the dictionary the conditions that it meets. A collection also meets those of the ones above. */
function bitsOf(table: NodeTable, collections: Collections, required: readonly number[]): Uint32Array {
  const { dictionary, collectionFacet } = table;
  const bits = new Uint32Array(dictionary.size);
  for (const [index, value] of required.entries()) {
    bits[value] = (bits[value] as number) | (1 << index);
    if (dictionary.facets[value] !== collectionFacet) continue;
    for (let each = 0; each < bits.length; each++)
      if (dictionary.facets[each] === collectionFacet && collections.above(each).includes(value))
        bits[each] = (bits[each] as number) | (1 << index);
  }
  return bits;
}

/** Returns the conditions that the values of a node meet, one bit each. */
function metBy({ start, size, values }: NodeTable, nid: number, bits: Uint32Array): number {
  let met = 0;
  for (let at = start[nid] as number, end = at + (size[nid] as number); at < end; at++)
    met |= bits[values[at] as number] as number;
  return met;
}
