import { type Static, Type as t } from '@sinclair/typebox';
import { malformed } from '../../base/errors.ts';
import { countInWords, secondsInWords } from '../../base/in-words.ts';
import { readableSize } from '../../field-types/readable.tsx';
import { paths } from '../../paths.ts';
import { nodeAccess, permissionAccess } from '../../repository/access.ts';
import type { FixityData, FixityProblemData, FixityRunData } from '../../representation/fixity-data.ts';
import { findProblemPage, findRuns, type ShownProblem, type ShownRun, stopRun } from '../../upkeep/fixity/find-runs.ts';
import { startCheck } from '../../upkeep/fixity/start-check.ts';
import { reportFixity } from '../../upkeep/fixity/verify-report.ts';
import { problemsOf, type VerifyScope } from '../../upkeep/fixity/verify-run.ts';
import type { VerifyPlan } from '../../upkeep/fixity/verify-schedule.ts';
import type { ApiServices } from '../api-services.ts';
import { type Call, parseId } from '../call.ts';
import { resource } from '../check.ts';
import { PAGE_FORMATS } from '../formats.ts';
import { FORM_HEADERS, formPage, seeOther } from '../forms/form-answer.ts';
import { describe, HIDDEN, PAGE_CONTENT } from '../openapi/describe.ts';
import { PAGE_QUERY, pageOrFirst, queryOf } from '../parameters.ts';

const PROBLEMS_PER_PAGE = 50;
const SHOWN_RUNS = 20;

const action = t.Object({
  act: t.Union([t.Literal('start'), t.Literal('stop')]),
  run: t.Optional(t.String({ description: 'The id of the check to stop.' })),
});

/** Routes of the page of fixity checks, which also starts and stops them. */
export const fixityRoutes = (api: ApiServices) =>
  resource(api)
    .get(
      paths.fixity,
      async ({ call, query }) => {
        const page = pageOrFirst(query, PROBLEMS_PER_PAGE);
        return formPage(api.pages.fixity(await gather(call, page), call.site));
      },
      {
        check: { formats: PAGE_FORMATS, access: (call: Call) => call.allow(mayRead(call)) },
        query: queryOf(PAGE_QUERY),
        detail: describe({
          operationId: 'getFixityPage',
          tag: 'operation',
          summary: 'Show the checks of stored files',
          description: 'Files that are not intact, with the items that use them, and the last checks.',
          isForAnyone: false,
          responses: { 200: { description: 'The page.', headers: FORM_HEADERS, content: PAGE_CONTENT } },
          failures: [403],
        }),
      },
    )
    .post(paths.fixity, async ({ call, body }) => act(call, body), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: (call: Call) => call.allow(mayChange(call)) },
      body: action,
      detail: HIDDEN,
    });

const mayRead = ({ actor }: Call) => permissionAccess(actor, 'access site reports');
const mayChange = ({ actor }: Call) => permissionAccess(actor, 'administer site configuration');

async function act(call: Call, { act, run }: Static<typeof action>): Promise<Response> {
  const { services, background } = call.api;
  if (act === 'start') {
    await startCheck(services, background);
    return seeOther(call, paths.fixity, 'The check has begun.');
  }
  const id = parseId(run);
  if (id === undefined) throw malformed('The form names no check to stop.');
  const isStopped = await stopRun(services.database, id);
  return seeOther(call, paths.fixity, isStopped ? 'The check stops.' : 'The check has ended already.');
}

async function gather(call: Call, page: { readonly limit: number; readonly offset: number }): Promise<FixityData> {
  const { database } = call.api.services;
  const [report, runs, { total, problems }] = await Promise.all([
    reportFixity(database),
    findRuns(database, SHOWN_RUNS),
    findProblemPage(database, page),
  ]);
  const { files, outcomes, neverChecked, plan } = report;
  return {
    files,
    intact: outcomes.intact,
    neverChecked,
    schedule: plan && planInWords(plan),
    runs: runs.map(runData),
    problems: problems.map((problem) => problemData(problem, call)),
    problemCount: total,
    page: page.offset / page.limit,
    pageSize: page.limit,
    formToken: mayChange(call).isAllowed ? call.formToken : undefined,
  };
}

function runData(run: ShownRun): FixityRunData {
  const { id, scope, total, checked, bytes, startedAt, endedAt, isUnderWay } = run;
  const state = endedAt !== undefined ? 'complete' : isUnderWay ? 'running' : 'interrupted';
  return {
    id,
    scope: scopeInWords(scope),
    state,
    total,
    checked,
    bytes,
    problems: problemsOf(run),
    startedAt,
    endedAt,
  };
}

function problemData({ items, ...problem }: ShownProblem, { actor }: Call): FixityProblemData {
  const visible = items.filter((item) => nodeAccess.view(actor, item).isAllowed);
  return {
    ...problem,
    items: visible.map(({ id, label }) => ({ id, label })),
    hasHiddenItem: visible.length < items.length,
  };
}

/** Returns which files a check covers: `All files`, `10 % of the files in public, scheduled`. */
function scopeInWords({ store, sample, isScheduled }: VerifyScope): string {
  const part =
    sample === undefined
      ? 'All files'
      : 'percent' in sample
        ? `${sample.percent} % of the files`
        : `${countInWords(sample.files, 'file')} at random`;
  return `${part}${store === undefined ? '' : ` in ${store}`}${isScheduled ? ', scheduled' : ''}`;
}

/** Returns the schedule of checks as a sentence. */
function planInWords({ everySeconds, bytesPerSecond, store, sample }: VerifyPlan): string {
  const what = scopeInWords({ store, sample });
  const rate = readableSize(bytesPerSecond, 'en') ?? `${bytesPerSecond} bytes`;
  return `${what} every ${secondsInWords(everySeconds)}, at most ${rate} per second. A server does this in the background.`;
}
