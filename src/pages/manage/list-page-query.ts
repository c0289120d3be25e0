import type { ListSort } from '../../repository/lists/list-question.ts';
import type { ManagedList } from './content-list-data.ts';

/** The orders of each list in the address; the first one is the default. */
const SORTS: Readonly<Record<ManagedList, readonly string[]>> = {
  node: ['-changed', 'changed', 'title', '-title'],
  media: ['-changed', 'changed', 'name', '-name'],
};

/** An order of a list. */
export interface ListOrder {
  /** The text in the address; undefined for the default. */
  readonly text: string | undefined;
  readonly sort: ListSort;
  readonly isDescending: boolean;
}

/** Returns the order that an address names. An unknown one is the default. */
export function orderIn(list: ManagedList, query: URLSearchParams): ListOrder {
  const [usual = '-changed', ...others] = SORTS[list];
  const named = others.find((each) => each === query.get('sort'));
  const text = named ?? usual;
  return { text: named, sort: text.replace('-', '') as ListSort, isDescending: text.startsWith('-') };
}

/** Returns the order for the heading of a column: the other direction of the present order, or the usual one. */
export function orderOfColumn(list: ManagedList, column: 'label' | 'changed', present: ListOrder): string {
  const label = list === 'node' ? 'title' : 'name';
  const sort = column === 'label' ? label : 'changed';
  const isUsual = column === 'label' ? !present.isDescending : present.isDescending;
  const first = column === 'label' ? sort : `-${sort}`;
  const second = column === 'label' ? `-${sort}` : sort;
  return present.sort === sort && isUsual ? second : first;
}

/** Returns the names and values of an address that are set, encoded. */
export function encoded(pairs: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(pairs).filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== '');
  return new URLSearchParams(set).toString();
}
