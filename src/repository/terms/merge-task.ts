import { setImmediate } from 'node:timers/promises';
import { forEachAtOnce } from '../../base/for-each-at-once.ts';
import { failedGuard } from '../../database/errors.ts';
import type { Work } from '../../runs/keep-working.ts';
import { createRunTask } from '../../runs/run-task.ts';
import type { Actor, ActorFacts } from '../actor.ts';
import type { ContentKind } from '../content/kinds.ts';
import { removalOfMerged } from '../content/write/remove-content.ts';
import { failIfUsed, findReplacing, nextSources } from '../merged-terms.ts';
import type { FindAccount } from '../users/find-account.ts';
import { mergeRuns } from './merge-runs.ts';
import type { MergeParts } from './merge-term.ts';
import { moveReferences } from './move-references.ts';

/** The interval at which a server looks for merges of other processes, in milliseconds. */
const LOOK_MS = 15_000;
/** The number of entities between two renewals of a lease. */
const GROUP = 48;
/** The number of entities at once: they share the commits of the database. */
const AT_ONCE = 8;
/** The number of groups before another run gets its turn. */
const GROUPS_IN_TURN = 5;

/** The parts of the repository that the task works with. */
interface MergeTaskParts extends MergeParts {
  readonly findAccount: FindAccount;
  readonly makeActor: (facts: ActorFacts) => Actor;
  /** The author of the revisions if the account of the user was deleted. */
  readonly anonymous: Actor;
}

type MergeRun = typeof mergeRuns extends { take(...args: never): Promise<infer Held> } ? NonNullable<Held> : never;

/**
 * The task that moves the references of merged terms, each by a change of its own. A killed process leaves references, which the next
 * one finds by the index: nothing is moved twice. At the end it removes the row that stood in for the other term.
 */
export function createMergeTask(parts: MergeTaskParts): Work {
  const { services } = parts;
  return createRunTask(services.database, mergeRuns, {
    failure: 'references to merged terms cannot be moved at present',
    lookMs: LOOK_MS,
    waker: services.merges,
    work: (run, signal) => workOnMerge(parts, run, signal),
  });
}

async function workOnMerge(parts: MergeTaskParts, run: MergeRun, signal: AbortSignal): Promise<void> {
  const { services, kinds } = parts;
  const { database } = services;
  const { from, into, keeps, label, intoLabel } = run.about;
  const account = run.userId === null ? undefined : await parts.findAccount.byId(run.userId);
  const actor = account === undefined ? parts.anonymous : parts.makeActor(account);
  const log = `${keeps ? 'Replaced' : 'Merged'} the term “${label}” ${keeps ? 'by' : 'into'} “${intoLabel}”`;
  const skipped = new Set<string>();
  const failures: unknown[] = [];
  let done = run.progress ?? 0;
  database.refresh();
  for (let group = 0; group < GROUPS_IN_TURN && !signal.aborted; group++) {
    const target = await findReplacing(database, into);
    const query = { id: from, skipped: JSON.stringify([...skipped]), limit: GROUP };
    const sources = target === undefined || target.id === from ? [] : await database.all(nextSources(query));
    if (sources.length === 0) {
      if (failures.length > 0) throw failures[0];
      return finish(parts, run, { skipped: query.skipped, intoId: target?.id ?? 0 });
    }
    const startedAt = performance.now();
    await forEachAtOnce(sources, AT_ONCE, async ({ type, id }) => {
      if (signal.aborted) return;
      const kind = (kinds as Readonly<Partial<Record<string, ContentKind>>>)[type];
      try {
        if (kind !== undefined && (await moveReferences(parts, actor, kind, id, { from, into, log }))) done += 1;
        else skipped.add(`${type} ${id}`);
      } catch (error) {
        // The others move first; this one is tried again later.
        skipped.add(`${type} ${id}`);
        failures.push(error);
      }
      // Lets requests in between.
      await setImmediate();
    });
    await mergeRuns.change(database, run, { progress: done, worked: (performance.now() - startedAt) / 1_000 });
  }
  if (failures.length > 0) throw failures[0];
}

/** Ends a run, and removes the row of the merged term. References that were added meanwhile move first. */
async function finish(
  { services, kinds }: MergeTaskParts,
  run: MergeRun,
  left: { readonly skipped: string; readonly intoId: number },
): Promise<void> {
  const { from, keeps } = run.about;
  const removal = keeps ? [] : [failIfUsed({ id: from, ...left }), ...removalOfMerged(kinds.taxonomy_term, from)];
  try {
    await mergeRuns.settle(services.database, run, { state: 'done' }, removal);
  } catch (error) {
    // The next turn moves them.
    if (failedGuard(error) !== 'guard_stale') throw error;
  }
  services.removals.wake();
}
