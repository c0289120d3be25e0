import { Type as t } from '@sinclair/typebox';
import { ServiceError, unprocessable } from '../../base/errors.ts';
import { countInWords } from '../../base/in-words.ts';
import { FIELD_OF, type MemberScope } from '../../bulk/bulk-action.ts';
import { changeWithMembers, requireFewRuns } from '../../bulk/change-with-members.ts';
import { findMembers } from '../../bulk/find-members.ts';
import type { MemberPlan } from '../../bulk/plan-members.ts';
import { beginRun, discardRun } from '../../bulk/run-queries.ts';
import { prepareRun } from '../../bulk/start-run.ts';
import { pathOf } from '../../paths.ts';
import { type Content, open } from '../../repository/content/content.ts';
import type { SubmittedValues } from '../../repository/content/fill/check-values.ts';
import type { Call } from '../../web/call.ts';
import { isOfStructure } from '../../web/item-structure.ts';
import { queryOf } from '../../web/parameters.ts';

const members = t.Optional(
  t.Union([t.Literal('pages'), t.Literal('all'), t.Literal('none')], {
    description:
      'The members that follow: none (default), the pages of the node, or everything below it. They follow in the background: `X-Repo-Notice` has the address of their progress. Members that the caller may not change stay.',
  }),
);

/** The query of a PATCH of a node. */
export const MEMBERS_OF_CHANGE = queryOf({ members });
/** The query of a DELETE of a node. */
export const MEMBERS_OF_REMOVAL = queryOf({
  members,
  files: t.Optional(
    t.Literal('delete', {
      description: 'Deletes also the media of the deleted nodes, and their files that no other content uses.',
    }),
  ),
  title: t.Optional(t.String({ description: 'The title of a collection that is deleted with everything below it.' })),
});

/** Members that follow a change of a node. Their run is prepared, and begins with the change. */
interface FollowingRun {
  /** The statements that begin the run, for the transaction of the change. */
  readonly begin: () => ReturnType<typeof beginRun>[];
  /** Begins the run also if the node had its values before. */
  settle(): Promise<void>;
  /** Removes the run of a change that failed. */
  discard(): Promise<void>;
}

/** Prepares the run of the members that follow a new status. Throws `unprocessable` for a body without a status. */
export async function prepareFollowing(
  call: Call,
  node: Content,
  values: SubmittedValues,
  scope: MemberScope,
): Promise<FollowingRun> {
  const { api, actor } = call;
  const { database } = api.services;
  const isPublished = values.get('status')?.[0]?.value;
  if (typeof isPublished !== 'boolean')
    throw unprocessable('The parameter "members" applies to a change of the field "status", which the body lacks.');
  const action = isPublished ? 'publish' : 'unpublish';
  await requireFewRuns(database, actor);
  const plan = await findMembers(api.services, actor, { action, scope, chosen: [node.head.id] });
  const change = { type: 'node', action, parameters: { field: FIELD_OF[action], members: scope } } as const;
  const id = await prepareRun(database, actor, change, [], plan);
  return {
    begin: () => [beginRun({ id })],
    async settle() {
      await database.write([beginRun({ id })]);
      api.bulk.wake();
      noteRun(call, id, plan);
    },
    discard: async () => void (await database.write(discardRun.map((statement) => statement({ id })))),
  };
}

interface RemovalQuery {
  readonly members?: MemberScope;
  readonly files?: 'delete';
  readonly title?: string;
}

/**
 * Deletes a node with the members that follow it. Throws `unprocessable` for a collection with everything below it unless the
 * query has its title.
 */
export async function removeWithMembers(
  call: Call,
  node: Content,
  { members: scope = 'none', files, title }: RemovalQuery,
  requireSame: (node: Content) => void,
): Promise<void> {
  const { api, actor } = call;
  requireSame(node);
  if (scope === 'all' && title !== open(node).draft.label && (await isOfStructure(api, node, 'collection')))
    throw unprocessable('The parameter "title" must be the title of the collection, to delete everything below it.');
  const plan = await findMembers(api.services, actor, { action: 'delete', scope, chosen: [node.head.id] });
  const { run, state, reason } = await changeWithMembers(api, actor, {
    ...{ node, action: 'delete', members: plan, require: requireSame },
    parameters: { members: scope, withMedia: files === 'delete', withFiles: files === 'delete' },
  });
  if (state === 'failed' || state === 'skipped') {
    // Another request may have changed it: that has an answer of its own.
    const current = await api.findContent('node', node.head.id);
    if (current === undefined) throw call.notFound('node');
    requireSame(current);
    throw new ServiceError(state === 'skipped' ? 'forbidden' : 'conflict', reason ?? 'The node could not be deleted.');
  }
  api.bulk.wake();
  noteRun(call, run, plan);
}

/** Tells the caller how many members follow, and where to read which of them stay. */
function noteRun(call: Call, run: number, { following, kept }: MemberPlan): void {
  if (following.length + kept.length === 0) return;
  const stay = kept.length === 0 ? '' : ` ${countInWords(kept.length, 'member stays', 'members stay')} as before.`;
  const follow = countInWords(following.length, 'member follows', 'members follow');
  call.note(`${follow}.${stay} ${call.baseUrl}${pathOf('bulkRun', { run })}`);
}
