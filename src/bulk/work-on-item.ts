import type { InStatement } from '@libsql/client';
import { sql } from 'drizzle-orm';
import { madeOnce } from '../base/made-once.ts';
import { failedGuard } from '../database/errors.ts';
import { bulkItems } from '../database/schema/bulk.ts';
import { namesOf, requireOne } from '../database/sql.ts';
import { type Named, plain, prepare } from '../database/statement.ts';
import { renewDerivatives } from '../jobs/renew-derivatives.ts';
import type { FieldValues } from '../model/content-model.ts';
import type { Actor } from '../repository/actor.ts';
import { type Content, open } from '../repository/content/content.ts';
import type { ContentKind } from '../repository/content/kinds.ts';
import type { ActiveRun } from './bulk-action.ts';
import type { BulkParts } from './bulk-parts.ts';
import { type Change, changeItem } from './change-item.ts';
import { failureOf, requireChangeable } from './item-failure.ts';
import { ItemSkipped } from './item-skipped.ts';
import { findOwnPlace, moveMember } from './move-member.ts';
import { BELONGS_TO_OTHER } from './plan-members.ts';
import { removeItem } from './remove-item.ts';
import { requireUntouched } from './require-untouched.ts';
import { changedItem, type ItemResult, settleItem, stayingParent } from './run-queries.ts';

/** An item that waits for its change. */
export interface WaitingItem {
  readonly id: number;
  readonly entityId: number;
  /** The values that it must have and gets, as JSON, if the run has them for each item. */
  readonly before: string | null;
  readonly after: string | null;
}

const noteRevision = madeOnce(({ table }: ContentKind) =>
  prepare(({ id }: Named<{ id: number }>) =>
    plain(sql`UPDATE ${bulkItems} SET ${namesOf(bulkItems.revisionAfter)} =
      (SELECT ${table.revisionId} FROM ${table} WHERE ${table.id} = ${bulkItems.entityId}) WHERE ${bulkItems.id} = ${id}`),
  ),
);

/**
 * Does the action of a run with one item, and stores the result: in the transaction of the change, so that it is done once
 * however often processes are killed. Rejects if the database or the storage fails: the item then waits. `requireMore` throws if
 * the content must not be changed.
 */
export async function workOnItem(
  parts: BulkParts,
  actor: Actor,
  run: ActiveRun,
  item: WaitingItem,
  requireMore: (content: Content) => void = () => {},
): Promise<void> {
  const { database } = parts.services;
  let label: string | null = null;

  const read = async (): Promise<Content> => {
    const content = await parts.findContent(run.type, item.entityId);
    if (content === undefined) throw new ItemSkipped('It has been deleted.');
    return content;
  };
  const check = (content: Content) => {
    requireChangeable(actor, run.action, content);
    requireMore(content);
  };
  const resultOf = (result: Partial<ItemResult> & Pick<ItemResult, 'state'>): ItemResult => ({
    ...{ id: item.id, label, reason: null, before: null, after: null, revisionBefore: null },
    ...result,
  });
  const settle = (result: Partial<ItemResult> & Pick<ItemResult, 'state'>): InStatement[] => [
    settleItem(resultOf(result)),
    requireOne('lost'),
  ];
  const save = (result: Partial<ItemResult> & Pick<ItemResult, 'state'>) => database.write(settle(result));
  const settleChange = (content: Content, change: Change): InStatement[] => [
    ...settle({
      state: 'done',
      before: JSON.stringify(change.before),
      after: JSON.stringify(change.after),
      revisionBefore: content.head.revisionId,
    }),
    noteRevision(content.kind)({ id: item.id }),
  ];

  try {
    const content = await read();
    check(content);
    label = open(content).draft.label;
    switch (run.action) {
      case 'delete': {
        await requireNoOtherParent();
        const requireSame = await untouchedCheck();
        await removeItem(parts, actor, {
          ...{ content, read, withMedia: run.parameters.withMedia === true },
          withFiles: run.parameters.withFiles === true,
          check(current) {
            check(current);
            requireSame(current);
          },
          settle: ({ head }) => settle({ state: 'done', revisionBefore: head.revisionId }),
        });
        return;
      }
      case 'derivatives': {
        const source = run.type === 'node' ? { node: item.entityId } : { media: item.entityId };
        const { statements, count } = await renewDerivatives(parts.services, actor, source);
        if (count === 0) await save({ state: 'unchanged', reason: 'No rule makes derivatives of it.' });
        else await database.write([...statements, ...settle({ state: 'done', reason: `${count} queued.` })]);
        if (count > 0) parts.services.derivatives.wake();
        return;
      }
      default: {
        const { undoes, membersOf } = run.parameters;
        const planned = undoes === undefined ? changeOf(item) : await findUndoing(undoes);
        const place = membersOf === undefined ? undefined : await findOwnPlace(database, content, membersOf);
        if (place !== undefined) {
          await moveMember(database, place, planned, (change) =>
            settle({ state: 'done', before: JSON.stringify(change.before), after: JSON.stringify(change.after) }),
          );
          return;
        }
        const { isUnchanged } = await changeItem(parts, actor, run, {
          id: item.entityId,
          read,
          check,
          planned,
          settle: settleChange,
        });
        if (isUnchanged) await save({ state: 'unchanged' });
      }
    }
  } catch (error) {
    // Another process has done it.
    if (failedGuard(error) === 'guard_lost') return;
    await save(failureOf(error, (cause) => parts.services.warn('a bulk change failed for an item', cause))).catch(
      (failure: unknown) => {
        if (failedGuard(failure) !== 'guard_lost') throw failure;
      },
    );
  }

  /** Returns the check that a node is as its import has created it. */
  async function untouchedCheck(): Promise<(content: Content) => void> {
    const { deletesImport } = run.parameters;
    if (deletesImport === undefined) return () => {};
    return requireUntouched(parts.services, { runId: run.id, importId: deletesImport, nodeId: item.entityId });
  }

  /** A member that another item still has is not deleted with one of them. */
  async function requireNoOtherParent(): Promise<void> {
    const { lastChosen } = run.parameters;
    if (lastChosen === undefined || item.id <= lastChosen) return;
    if ((await database.get(stayingParent({ runId: run.id, memberId: item.entityId }))) !== undefined)
      throw new ItemSkipped(BELONGS_TO_OTHER);
  }

  async function findUndoing(runId: number): Promise<Change | undefined> {
    const done = await database.get(changedItem({ runId, entityId: item.entityId }));
    return done && changeOf({ before: done.after, after: done.before });
  }
}

function changeOf({ before, after }: Pick<WaitingItem, 'before' | 'after'>): Change | undefined {
  if (before === null || after === null) return undefined;
  return { before: JSON.parse(before) as FieldValues, after: JSON.parse(after) as FieldValues };
}
