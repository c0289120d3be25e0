import { countInWords, numberText } from '../../base/in-words.ts';
import { dateInWords } from '../../field-types/display/date-in-words.ts';
import { MAX_LISTED } from '../../repository/content/lists/card-list.ts';
import type { Card } from '../../repository/content/lists/find-cards.ts';

/** Returns a number of items in words: "1 item", "5,213 items", "more than 10,000 items". */
export function countedItems(count: number): string {
  if (count > MAX_LISTED) return `more than ${numberText(MAX_LISTED)} items`;
  return countInWords(count, 'item');
}

/** Returns the line below a title: "Image · about 1929". */
export function cardNote({ model, date, members, isPublished, isRestricted }: Card): string {
  const parts = [
    model,
    date === undefined ? undefined : dateInWords(date),
    members === undefined ? undefined : countedItems(members),
    isPublished ? undefined : 'not published',
    isRestricted ? 'restricted' : undefined,
  ];
  return parts.filter((part) => part !== undefined).join(' · ');
}
