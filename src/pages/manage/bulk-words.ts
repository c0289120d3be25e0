import { countInWords, numberText } from '../../base/in-words.ts';
import type { BulkAction, BulkType } from '../../bulk/bulk-action.ts';
import type { BulkRun } from '../../bulk/find-runs.ts';
import { countedEntries } from './manage-words.ts';

interface BulkConfirmation {
  readonly action: BulkAction;
  readonly kind: BulkType;
  readonly count: number;
}

/** Returns the heading of a change that is not confirmed yet, such as `Publish 3 items`. */
export function confirmHeading({ action, count, kind }: BulkConfirmation): string {
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
    case 'values':
      return `Change a field of ${items}`;
    case 'derivatives':
      return `Make the derivatives of ${items} again`;
    case 'delete':
      return `Delete ${items}`;
    case 'order':
      return `Order ${items}`;
    case 'update':
      return `Update ${items}`;
    case 'undo':
      return `Undo the change of ${items}`;
    default:
      return action satisfies never;
  }
}

/** Returns a sentence about what a change does. Undefined for deletions, which have a warning. */
export function effectOf({ action, kind }: BulkConfirmation): string | undefined {
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
export function runHeading(run: BulkRun): string {
  const { action, type: kind, parameters } = run;
  const { targetLabel, undoes, deletesImport } = parameters;
  const count = totalOf(run);
  const items = countedEntries(count, kind);
  switch (action) {
    case 'collection':
      return `Move ${items} to “${targetLabel}”`;
    case 'term':
      return `Add “${targetLabel}” to ${items}`;
    case 'values':
      return `Change “${targetLabel}” of ${items}`;
    case 'order':
      return `Order of the members of “${targetLabel}”: ${items}`;
    case 'update':
      return `Update of ${items} from “${targetLabel}”`;
    case 'undo':
      return `Undo change ${undoes}: ${items}`;
    case 'delete':
      if (deletesImport !== undefined) return `Delete what the import of “${targetLabel}” created: ${items}`;
      return confirmHeading({ action, kind, count });
    default:
      return confirmHeading({ action, kind, count });
  }
}

/** Returns the state of a change in words. */
export function progressText(run: BulkRun): string {
  const { state, counts } = run;
  const [total, secondsLeft] = [totalOf(run), secondsLeftOf(run)];
  const processed = `${numberText(total - counts.waiting)} of ${numberText(total)}`;
  switch (state) {
    case 'preparing':
      return 'It is being prepared.';
    case 'running':
      return `${processed}${secondsLeft === undefined ? '' : `, ${leftText(secondsLeft)} left`}`;
    case 'stopped':
      return `Stopped at ${processed}.`;
    case 'done':
      return `Finished: ${processed}.`;
    case 'stopping':
    case 'failed':
      throw new Error(`a bulk change is never ${state}`);
    default:
      return state satisfies never;
  }
}

/** Returns a duration as `about 40 seconds`. */
function leftText(seconds: number): string {
  if (seconds < 60) return `about ${countInWords(seconds, 'second')}`;
  const minutes = Math.round(seconds / 60);
  return `about ${countInWords(minutes, 'minute')}`;
}

/** The number of done items from which the remaining time is estimated. */
const MIN_DONE = 20;

/** Returns the number of all items of a change. */
export function totalOf({ counts }: BulkRun): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0);
}

/** Returns the estimated seconds until the end of a change. Undefined if it does not run, or has just begun. */
export function secondsLeftOf(run: BulkRun): number | undefined {
  const { state, counts, worked } = run;
  const processed = totalOf(run) - counts.waiting;
  return state === 'running' && processed >= MIN_DONE ? Math.ceil((worked / processed) * counts.waiting) : undefined;
}
