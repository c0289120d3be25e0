import { countInWords, numberText } from '../../base/in-words.ts';
import type { BulkAction, BulkType, ItemState } from '../../bulk/bulk-action.ts';

/** Returns a number with its noun: `1 item`, `1,200 media`. */
export function countedEntries(count: number, type: BulkType): string {
  if (type === 'media') return `${numberText(count)} media`;
  return countInWords(count, type === 'node' ? 'item' : 'term');
}

/** The names of actions, as a list offers them. */
export const ACTION_LABELS: Readonly<Record<BulkAction, string>> = {
  publish: 'Publish',
  unpublish: 'Unpublish',
  collection: 'Move to a collection',
  term: 'Add a term',
  values: 'Change a field',
  derivatives: 'Make derivatives again',
  delete: 'Delete',
  order: 'Order',
  update: 'Update',
  undo: 'Undo',
};

/** The names of the states of an item of a change. */
export const STATE_LABELS: Readonly<Record<ItemState, string>> = {
  done: 'Changed',
  failed: 'Failed',
  skipped: 'Skipped',
  unchanged: 'Unchanged',
  waiting: 'Waiting',
};

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** Returns a time, in seconds since 1970, for editors: `24 Nov 2026, 10:15`, in UTC. */
export function timeText(seconds: number): string {
  return TIME.format(new Date(seconds * 1_000));
}
