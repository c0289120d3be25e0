import { Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { bulkRuns, type ItemState } from '../../bulk/bulk-action.ts';
import { type BulkRun, findResults, findRun, findRunsOf, isUndoable, resumeRun } from '../../bulk/find-runs.ts';
import { startUndo } from '../../bulk/start-run.ts';
import { pathOf, paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import { ALLOWED } from '../../repository/access-rule.ts';
import { mediaOverviewAccess, nodeOverviewAccess } from '../../repository/core-right.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { type Call, doesNotExist } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { FORM_HEADERS, formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_AND_JSON_FORMATS, PAGE_FORMATS, parametersOf } from '../../web/formats.ts';
import { describe, JSON_TYPE, PAGE_CONTENT } from '../../web/openapi/describe.ts';
import { id, PAGE_QUERY, pageOrFirst, queryOf } from '../../web/parameters.ts';
import { json } from '../../web/respond.ts';
import { defineAdminPage } from '../admin/define-admin-page.ts';
import { bulkRunPage } from './bulk-run-page.tsx';
import { bulkRunsPage } from './bulk-runs-page.tsx';
import { secondsLeftOf } from './bulk-words.ts';

/** The number of items on a page of results, and of runs in the list. */
const PAGE_SIZE = 100;
const MAX_RUNS = 100;
const STATES: readonly ItemState[] = ['failed', 'skipped', 'done', 'unchanged', 'waiting'];
const count = (description: string) => t.Integer({ minimum: 0, description });

/** The progress of a run as JSON. */
const BULK_PROGRESS = t.Object({
  state: t.String({ description: '`preparing`, `running`, `stopped` or `done`.' }),
  counts: t.Object({
    waiting: count('Items that are not done yet.'),
    done: count('Changed items.'),
    unchanged: count('Items that had the value before.'),
    skipped: count('Items that the user may not change, or that were deleted.'),
    failed: count('Items with an error.'),
  }),
  seconds_left: t.Optional(t.Number({ description: 'The estimated time until its end.' })),
});

const params = t.Object({ run: id('The id of the change.') });

/** The list of changes of many items, with their pages: their progress, their results, and what can be done about them. */
export const bulkRunsAdminPage = defineAdminPage({
  path: paths.bulkRuns,
  label: 'Bulk changes',
  group: 'content',
  permission: (actor) => (nodeOverviewAccess(actor).isAllowed ? ALLOWED : mediaOverviewAccess(actor)),
  routes: (api, access) => bulkRunRoutes(api, access),
});

function bulkRunRoutes(api: ApiServices, access: (call: Call) => void) {
  const app = resource(api);
  app.get(paths.bulkRuns, ({ call }) => list(call), { check: { formats: PAGE_FORMATS, access } });
  app.get(paths.bulkRun, ({ call }) => show(call), {
    check: { formats: PAGE_AND_JSON_FORMATS, access: requireRun },
    params,
    query: queryOf({ ...PAGE_QUERY, show: t.Optional(t.String({ description: `One of ${STATES.join(', ')}.` })) }),
    detail: describe({
      operationId: 'getBulkRunPage',
      tag: 'pages',
      summary: 'Show the progress and the results of a change of many items',
      isForAnyone: false,
      responses: {
        200: {
          description: 'The page, or its progress.',
          headers: FORM_HEADERS,
          content: { ...PAGE_CONTENT, [JSON_TYPE]: BULK_PROGRESS },
        },
      },
      failures: [403, 404],
    }),
  });
  const forms = [
    [paths.bulkStop, stop],
    [paths.bulkResume, resume],
    [paths.bulkUndo, undo],
  ] as const;
  for (const [path, handle] of forms)
    app.post(path, ({ call }) => handle(call), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: requireRun },
      params,
      body: t.Object({}),
    });
  return app;
}

/** Users see their own changes, administrators those of all users. */
async function requireRun(call: Call): Promise<void> {
  const administers = permissionAccess(call.actor, 'administer site configuration');
  if (!call.actor.isAuthenticated) call.allow(administers);
  const run = await findRun(call.api.services.database, call.id('run'));
  if (run === undefined || (run.userId !== call.actor.id && !administers.isAllowed))
    throw doesNotExist('bulk change', call.params.run ?? '');
  call.allow({ isAllowed: true });
}

async function runOf(call: Call): Promise<BulkRun> {
  const run = await findRun(call.api.services.database, call.id('run'));
  if (run === undefined) throw doesNotExist('bulk change', call.params.run ?? '');
  return run;
}

const tokenOf = (call: Call) => (call.identity.sessionId === undefined ? undefined : call.formToken);

async function list(call: Call): Promise<Response> {
  const runs = await findRunsOf(call.api.services.database, call.actor.id, MAX_RUNS);
  return formAnswer(bulkRunsPage(runs, call.site));
}

async function show(call: Call): Promise<Response> {
  const { api, actor, format, request } = call;
  const run = await runOf(call);
  if (format === 'json')
    return json(JSON.stringify({ state: run.state, counts: run.counts, seconds_left: secondsLeftOf(run) }));
  const query = parametersOf(request.url);
  const asked = STATES.find((state) => state === query.get('show'));
  const shown = asked ?? STATES.find((state) => run.counts[state] > 0) ?? 'done';
  const { limit, offset } = pageOrFirst({ page: query.get('page') ?? '0' }, PAGE_SIZE);
  const results = await findResults(api.services.database, shown, { runId: run.id, limit, offset });
  const data = {
    ...{ run, token: tokenOf(call), shown, results, page: offset / PAGE_SIZE },
    pages: Math.ceil(run.counts[shown] / PAGE_SIZE),
    mayUndo: run.userId === actor.id && isUndoable(run),
    isOwn: run.userId === actor.id,
  };
  return formAnswer(bulkRunPage(data, call.site));
}

const backTo = (call: Call, run: number, notice: string) => seeOther(call, pathOf('bulkRun', { run }), notice);

async function stop(call: Call): Promise<Response> {
  const isStopped = await bulkRuns.stop(call.api.services.database, call.id('run'));
  return backTo(call, call.id('run'), isStopped ? 'Stopped. The remaining items stay as they are.' : 'It has ended.');
}

async function resume(call: Call): Promise<Response> {
  const run = await runOf(call);
  requireOwn(call, run);
  if (!(await resumeRun(call.api.services.database, run.id)))
    throw new ServiceError('conflict', 'This change is not stopped.');
  call.api.bulk.wake();
  return backTo(call, run.id, 'It continues.');
}

async function undo(call: Call): Promise<Response> {
  const { api, actor } = call;
  const run = await runOf(call);
  requireOwn(call, run);
  const { field, membersOf } = run.parameters;
  if (!isUndoable(run)) throw new ServiceError('conflict', 'This change cannot be undone, or is undone already.');
  const id = await startUndo(api.services.database, actor, { id: run.id, type: run.type, field, membersOf });
  api.bulk.wake();
  return backTo(call, id, 'The earlier values are being restored.');
}

/** A change goes on, and is undone, with the permissions of the user who started it: no other user may cause that. */
function requireOwn({ actor }: Call, run: BulkRun): void {
  if (run.userId !== actor.id) throw new ServiceError('forbidden', 'Only the user who started it may do this.');
}
