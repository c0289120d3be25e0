import { MAX_LISTED } from '../../repository/content/lists/card-list.ts';

const NUMBERS = new Intl.NumberFormat('en-GB');

/** Returns a number for readers: "5,213". */
export const numberText = (count: number): string => NUMBERS.format(count);

/** Returns a number of items in words: "1 item", "5,213 items", "more than 10,000 items". */
export function countedItems(count: number): string {
  if (count > MAX_LISTED) return `more than ${numberText(MAX_LISTED)} items`;
  return count === 1 ? '1 item' : `${numberText(count)} items`;
}
