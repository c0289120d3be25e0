import { dateInWords } from '../../field-types/display/date-in-words.ts';
import type { Card } from '../../repository/content/lists/find-cards.ts';
import { countedItems } from './counted-items.ts';

/** Returns the line below a title: "Image · about 1929". */
export function cardNote({ model, date, members, isPublished }: Card): string {
  const parts = [
    model,
    date === undefined ? undefined : dateInWords(date),
    members === undefined ? undefined : countedItems(members),
    isPublished ? undefined : 'not published',
  ];
  return parts.filter((part) => part !== undefined).join(' · ');
}
