import type { BulkConfirmData, BulkRunSummary } from './bulk-data.ts';
import { countedEntries } from './manage-words.ts';

const NUMBER = new Intl.NumberFormat('en');

type Confirmed = Pick<BulkConfirmData, 'action' | 'count' | 'kind'>;

/** Returns the heading of a change that is not confirmed yet, such as `Publish 3 items`. */
export function confirmHeading({ action, count, kind }: Confirmed): string {
  const items = countedEntries(count, kind);
  switch (action) {
    case 'publish':
      return `Publish ${items}`;
    case 'unpublish':
      return `Unpublish ${items}`;
    case 'collection':
      return `Move ${items} to a collection`;
    case 'term':
      return `Add a term to ${items}`;
    case 'derivatives':
      return `Make the derivatives of ${items} again`;
    case 'delete':
      return `Delete ${items}`;
    case 'order':
      return `Order ${items}`;
    case 'undo':
      return `Undo the change of ${items}`;
    default:
      return action satisfies never;
  }
}

/** Returns a sentence about what a change does. Undefined for deletions, which have a warning. */
export function effectOf({ action, kind }: Confirmed): string | undefined {
  switch (action) {
    case 'publish':
      return kind === 'node'
        ? 'Everyone who may view published content sees them and their published media.'
        : 'Everyone who may view their items sees them.';
    case 'unpublish':
      return kind === 'node'
        ? 'Readers no longer see them, their media and their files. Nothing is deleted.'
        : 'Readers no longer see them and their files. Nothing is deleted.';
    case 'collection':
      return 'They keep their addresses, their media and their own members.';
    case 'term':
      return 'The term is added behind the present ones. Items that have it stay as they are.';
    case 'derivatives':
      return 'Thumbnails, texts and other derivatives are made from the present files, and replace those that exist.';
    default:
      return undefined;
  }
}

/** Returns the heading of a change. */
export function runHeading({ action, kind, total, targetLabel, undoes }: BulkRunSummary): string {
  const items = countedEntries(total, kind);
  switch (action) {
    case 'collection':
      return `Move ${items} to “${targetLabel}”`;
    case 'term':
      return `Add “${targetLabel}” to ${items}`;
    case 'order':
      return `Order of the members of “${targetLabel}”: ${items}`;
    case 'undo':
      return `Undo change ${undoes}: ${items}`;
    default:
      return confirmHeading({ action, kind, count: total });
  }
}

/** Returns the state of a change in words. `bulk-run.client.js` writes the same for a running one. */
export function progressText({ state, counts, total, secondsLeft }: BulkRunSummary): string {
  const processed = `${NUMBER.format(total - counts.waiting)} of ${NUMBER.format(total)}`;
  switch (state) {
    case 'preparing':
      return 'It is being prepared.';
    case 'running':
      return `${processed}${secondsLeft === undefined ? '' : `, ${leftText(secondsLeft)} left`}`;
    case 'stopped':
      return `Stopped at ${processed}.`;
    case 'done':
      return `Finished: ${processed}.`;
    default:
      return state satisfies never;
  }
}

/** Returns a duration as `about 40 seconds`. */
function leftText(seconds: number): string {
  if (seconds < 60) return `about ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`;
  const minutes = Math.round(seconds / 60);
  return `about ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
}
