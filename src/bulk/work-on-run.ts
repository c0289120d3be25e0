import { setImmediate } from 'node:timers/promises';
import { forEachAtOnce } from '../base/for-each-at-once.ts';
import type { Actor } from '../repository/actor.ts';
import type { HeldRun } from '../runs/runs.ts';
import { type ActiveRun, type BulkChange, bulkRuns } from './bulk-action.ts';
import type { BulkParts } from './bulk-parts.ts';
import { waitingItems } from './run-queries.ts';
import { workOnItem } from './work-on-item.ts';

/** The number of items between two renewals of a lease, and the most that are done after a user stops a run. */
const GROUP = 24;
/** The number of items at once: they share the commits of the database. */
const AT_ONCE = 8;
/** The number of groups before another run gets its turn. */
const GROUPS_IN_TURN = 5;

/**
 * Works on a run for its turn, or until its end. Yields to requests after each item. Throws `TakenOver` if it was stopped
 * or taken over.
 */
export async function workOnRun(
  parts: BulkParts,
  run: HeldRun<BulkChange, never, string>,
  signal: AbortSignal,
): Promise<void> {
  const { database } = parts.services;
  const active = { ...run.about, id: run.id };
  for (let group = 0; group < GROUPS_IN_TURN && !signal.aborted; group++) {
    const actor = await findActor(parts, run.userId);
    if (actor === undefined) {
      const result = 'The user who started it is blocked or deleted.';
      return bulkRuns.settle(database, run, { state: 'stopped', result });
    }
    const items = await database.all(waitingItems({ runId: run.id, limit: GROUP }));
    if (items.length === 0) return bulkRuns.settle(database, run, { state: 'done', result: null });
    const startedAt = performance.now();
    await forEachAtOnce(chosenFirst(items, active), AT_ONCE, async (item) => {
      if (!signal.aborted) await workOnItem(parts, actor, active, item);
      // Lets requests in between.
      await setImmediate();
    });
    await bulkRuns.change(database, run, { worked: (performance.now() - startedAt) / 1_000 });
  }
}

/** Returns the next items: members only after the items that they follow. */
function chosenFirst<Item extends { readonly id: number }>(items: readonly Item[], run: ActiveRun): readonly Item[] {
  const { lastChosen = 0 } = run.parameters;
  const chosen = items.filter(({ id }) => id <= lastChosen);
  return chosen.length > 0 ? chosen : items;
}

/** Returns the user of a run with present permissions; undefined if the account is blocked or deleted. */
async function findActor({ findAccount, makeActor }: BulkParts, id: number | null): Promise<Actor | undefined> {
  const account = id === null ? undefined : await findAccount.byId(id);
  return account?.status ? makeActor(account) : undefined;
}
