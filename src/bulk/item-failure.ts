import { type ErrorKind, ServiceError } from '../base/errors.ts';
import type { Actor } from '../repository/actor.ts';
import type { Content } from '../repository/content/content.ts';
import { ValidationFailed } from '../repository/errors.ts';
import type { BulkAction } from './bulk-action.ts';
import { ItemSkipped } from './item-skipped.ts';
import type { ItemResult } from './run-queries.ts';

/** Throws ItemSkipped for content that an actor may not view or change by an action. */
export function requireChangeable(actor: Actor, action: BulkAction, { kind, head }: Content): void {
  if (!kind.access.view(actor, head).isAllowed) throw new ItemSkipped('You may not view it.');
  const access = action === 'delete' ? kind.access.remove(actor, head) : kind.access.update(actor, head);
  if (!access.isAllowed) throw new ItemSkipped(`You may not change it. ${access.reason}`.trimEnd());
}

/** The failures that say nothing about the item: it is tried again later. */
const PASSING: readonly ErrorKind[] = [
  ...(['storage-failed', 'storage-full', 'database-locked', 'unavailable', 'timed-out'] as const),
  ...(['over-capacity', 'too-many-requests'] as const),
];

/** Returns the result of an item that could not be changed. Rethrows a failure that will pass, and reports unknown errors. */
export function failureOf(error: unknown, report: (cause: unknown) => void): Pick<ItemResult, 'state' | 'reason'> {
  if (error instanceof ItemSkipped) return { state: 'skipped', reason: error.message };
  if (error instanceof ValidationFailed)
    return { state: 'failed', reason: error.violations.map(({ message }) => message).join(' ') };
  if (error instanceof ServiceError) {
    if (PASSING.includes(error.kind)) throw error;
    return { state: error.kind === 'forbidden' ? 'skipped' : 'failed', reason: error.publicMessage };
  }
  report(error);
  return { state: 'failed', reason: 'An unexpected error prevented the change. The log of the server has its cause.' };
}
