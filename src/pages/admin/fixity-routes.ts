import { type Static, Type as t } from '@sinclair/typebox';
import { malformed } from '../../base/errors.ts';
import { paths } from '../../paths.ts';
import { nodeAccess } from '../../repository/access.ts';
import { type FileProblem, findProblemPage, findRuns } from '../../upkeep/fixity/find-runs.ts';
import { startCheck } from '../../upkeep/fixity/start-check.ts';
import { reportFixity } from '../../upkeep/fixity/verify-report.ts';
import { verifyRuns } from '../../upkeep/fixity/verify-run.ts';
import { type Call, parseId } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { PAGE_QUERY, pageOrFirst, queryOf } from '../../web/parameters.ts';
import { defineAdminPage, mayConfigure } from './define-admin-page.ts';
import { type FixityData, type FixityProblem, fixityPage } from './fixity-page.tsx';
import { planInWords } from './fixity-words.ts';

const PROBLEMS_PER_PAGE = 50;
const SHOWN_RUNS = 20;

const action = t.Object({
  act: t.Union([t.Literal('start'), t.Literal('stop')]),
  run: t.Optional(t.String({ description: 'The id of the check to stop.' })),
});

/** The page of fixity checks, which also starts and stops them. */
export const fixityAdminPage = defineAdminPage({
  path: paths.fixity,
  label: 'Checks of stored files',
  description: 'Files that are damaged or missing, and the last checks.',
  permission: 'access site reports',
  routes: (api, access) =>
    resource(api)
      .get(
        paths.fixity,
        async ({ call, query }) =>
          formAnswer(fixityPage(await gather(call, pageOrFirst(query, PROBLEMS_PER_PAGE)), call.site)),
        { check: { formats: PAGE_FORMATS, access }, query: queryOf(PAGE_QUERY) },
      )
      .post(paths.fixity, async ({ call, body }) => act(call, body), {
        check: { form: 'signed', formats: PAGE_FORMATS, access: (call: Call) => call.allow(mayConfigure(call)) },
        body: action,
      }),
});

async function act(call: Call, { act, run }: Static<typeof action>): Promise<Response> {
  const { services, background } = call.api;
  if (act === 'start') {
    await startCheck(services, background);
    return seeOther(call, paths.fixity, 'The check has begun.');
  }
  const id = parseId(run);
  if (id === undefined) throw malformed('The form names no check to stop.');
  const isStopped = await verifyRuns.stop(services.database, id);
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
    runs,
    problems: problems.map((problem) => problemData(problem, call)),
    problemCount: total,
    page: page.offset / page.limit,
    pageSize: page.limit,
    formToken: mayConfigure(call).isAllowed ? call.formToken : undefined,
  };
}

function problemData({ items, ...problem }: FileProblem, { actor }: Call): FixityProblem {
  const visible = items.filter((item) => nodeAccess.view(actor, item).isAllowed);
  return {
    ...problem,
    items: visible.map(({ id, label }) => ({ id, label })),
    hasHiddenItem: visible.length < items.length,
  };
}
