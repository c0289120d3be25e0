import { countInWords, numberText } from '../../base/in-words.ts';
import { MAX_LISTED } from '../../repository/content/card-list.ts';

/** Returns a number of items in words: "1 item", "5,213 items", "more than 10,000 items". */
export function countedItems(count: number): string {
  if (count > MAX_LISTED) return `more than ${numberText(MAX_LISTED)} items`;
  return countInWords(count, 'item');
}
