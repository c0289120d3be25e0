import { setImmediate } from 'node:timers/promises';
import { forEachAtOnce } from '../base/for-each-at-once.ts';
import type { Actor } from '../repository/actor.ts';
import type { ActiveRun } from './bulk-action.ts';
import type { BulkParts } from './bulk-parts.ts';
import { endRun, renewRun, waitingItems } from './run-queries.ts';
import { workOnItem } from './work-on-item.ts';

/** The number of items between two renewals of a lease, and the most that are done after a user stops a run. */
const GROUP = 24;
/** The number of items at once: they share the commits of the database. */
const AT_ONCE = 8;
/** The number of groups before another run gets its turn. */
const GROUPS_IN_TURN = 5;

/** Works on a run for its turn, or until it ends, is stopped or is taken over. Yields to requests after each item. */
export async function workOnRun(parts: BulkParts, run: ActiveRun, signal: AbortSignal): Promise<void> {
  const { database } = parts.services;
  const { id, lease } = run;
  for (let group = 0; group < GROUPS_IN_TURN && !signal.aborted; group++) {
    const actor = await findActor(parts, run.userId);
    if (actor === undefined) {
      const message = 'The user who started it is blocked or deleted.';
      await database.write([endRun({ id, lease, state: 'stopped', message })]);
      return;
    }
    const items = await database.all(waitingItems({ runId: id, limit: GROUP }));
    if (items.length === 0) {
      await database.write([endRun({ id, lease, state: 'done', message: null })]);
      return;
    }
    const startedAt = performance.now();
    await forEachAtOnce(items, AT_ONCE, async (item) => {
      if (!signal.aborted) await workOnItem(parts, actor, run, item);
      // Lets requests in between.
      await setImmediate();
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    const { renewed } = await database.write({ renewed: renewRun({ id, lease, seconds }) });
    if (renewed.changes !== 1) return;
  }
}

/** Returns the user of a run with present permissions; undefined if the account is blocked or deleted. */
async function findActor({ findAccount, makeActor }: BulkParts, id: number): Promise<Actor | undefined> {
  const account = await findAccount.byId(id);
  return account?.status ? makeActor(account) : undefined;
}
