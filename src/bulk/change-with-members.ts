import { eq } from 'drizzle-orm';
import { ServiceError } from '../base/errors.ts';
import type { Database } from '../database/database.ts';
import { runs } from '../database/schema/runs.ts';
import type { Actor } from '../repository/actor.ts';
import type { Content } from '../repository/content/content.ts';
import { type BulkParameters, bulkRuns, FIELD_OF, type ItemState, type MemberAction } from './bulk-action.ts';
import type { BulkParts } from './bulk-parts.ts';
import { countOpenRuns } from './find-runs.ts';
import { resultOfItem } from './run-queries.ts';
import { type FollowingMembers, startRun } from './start-run.ts';
import { workOnItem } from './work-on-item.ts';

/** Maximum number of unfinished changes of a user. */
export const MAX_OPEN = 20;

/** A change of an item that its members follow. */
interface ChangeWithMembers {
  readonly node: Content;
  readonly action: MemberAction;
  readonly parameters: Pick<BulkParameters, 'members' | 'withMedia' | 'withFiles'>;
  readonly members: FollowingMembers;
  /** Throws if the item, as it is now, must not be changed. */
  readonly require?: (node: Content) => void;
}

/** The run of a change with members, and the result of the item itself. */
export interface StartedChange {
  readonly run: number;
  readonly state: ItemState;
  readonly reason: string | null;
}

/**
 * Changes an item at once and its members in the background, in one run. If the process is killed, another one continues; if the
 * item cannot be changed, its members stay as they are.
 */
export async function changeWithMembers(
  parts: BulkParts,
  actor: Actor,
  { node, action, parameters, members, require }: ChangeWithMembers,
): Promise<StartedChange> {
  const { database } = parts.services;
  const { id } = node.head;
  await requireFewRuns(database, actor);
  const change = { type: 'node' as const, action, parameters: { ...parameters, field: FIELD_OF[action] } };
  const run = await startRun(database, actor, change, [id], members);
  const held = await bulkRuns.take(database, { where: eq(runs.id, run) });
  // Another process is faster.
  if (held === undefined) return { run, state: 'waiting', reason: null };
  try {
    const item = await database.get(resultOfItem({ runId: run, entityId: id }));
    const waiting = { id: item?.id ?? 0, entityId: id, before: null, after: null };
    await workOnItem(parts, actor, { ...held.about, id: run }, waiting, require);
    const result = await database.get(resultOfItem({ runId: run, entityId: id }));
    const { state = 'failed', reason = null } = result ?? {};
    if (state === 'failed' || state === 'skipped')
      await bulkRuns.settle(database, held, {
        state: 'stopped',
        result: 'The item itself could not be changed. Its members stay as they are.',
      });
    return { run, state, reason };
  } finally {
    await database.write([bulkRuns.release(held)]);
  }
}

/** Throws `conflict` for a user with too many unfinished changes. */
export async function requireFewRuns(database: Database, { id }: Pick<Actor, 'id'>): Promise<void> {
  if ((await countOpenRuns(database, id)) >= MAX_OPEN)
    throw new ServiceError(
      'conflict',
      `You have ${MAX_OPEN} unfinished changes. Wait until one has ended, or stop one.`,
    );
}
