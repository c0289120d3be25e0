import { Type as t } from '@sinclair/typebox';
import { malformed } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { cancelJob, retryJob } from '../../jobs/change-jobs.ts';
import { isActionKnown, REPORTED_STATES, type ReportFilter, reportJob, reportJobs } from '../../jobs/report-jobs.ts';
import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import { jobInFullJson, jobReportJson } from '../../representation/derivative-json.ts';
import type { ApiServices } from '../api-services.ts';
import { type Call, parseId } from '../call.ts';
import { resource } from '../check.ts';
import { jsonOf } from '../openapi/answers.ts';
import { type Description, describe } from '../openapi/describe.ts';
import { CONTENT_HEADERS } from '../openapi/headers.ts';
import { id, PAGE_QUERY, pageOrFirst, parameter, queryOf } from '../parameters.ts';
import { json } from '../respond.ts';

const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 500;
/** The maximum number of characters of an unknown word that an error shows. */
const MAX_SHOWN_CHARS = 50;

type ReportedState = (typeof REPORTED_STATES)[number];

const params = t.Object({ job: id('The id of the job.') });
const check = { name: 'derivatives.job' };
/** In the order in which they are checked. */
const listQuery = queryOf({
  items_per_page: t.Optional(
    parameter(
      { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, description: 'How many are on a page.' },
      (text) => /^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_PAGE_SIZE,
      (value) =>
        malformed(
          `The query parameter "items_per_page" must be a number from 1 to ${MAX_PAGE_SIZE}, found ${quoted(value)}.`,
        ),
    ),
  ),
  state: t.Optional(
    parameter<ReportedState>(
      { type: 'string', enum: [...REPORTED_STATES], description: 'Those in this state.' },
      (text) => REPORTED_STATES.some((known) => known === text),
      (value) =>
        malformed(
          `There is no state named ${quoted(value)}. The states are ${REPORTED_STATES.join(', ')}.${guessed(value, REPORTED_STATES)}`,
        ),
    ),
  ),
  node: t.Optional(
    parameter(
      { type: 'integer', minimum: 1, description: 'Those of this node.' },
      (text) => parseId(text) !== undefined,
      (value) => malformed(`The query parameter "node" must be the id of a node, found ${quoted(value)}.`),
    ),
  ),
  action: t.Optional(t.String({ description: 'Those of this action of the rules.' })),
  ...PAGE_QUERY,
});

/** The jobs that make derivatives, for administrators. */
export const derivativeRoutes = (api: ApiServices) =>
  resource(api)
    .get(
      paths.derivatives,
      async ({ query }) => {
        const size = query.items_per_page === undefined ? PAGE_SIZE : Number(query.items_per_page);
        const report = await reportJobs(api.services, await filterOf(api, query), pageOrFirst(query, size));
        return json(JSON.stringify(jobReportJson(report)));
      },
      {
        check: { access: mayRead },
        query: listQuery,
        detail: describe({
          operationId: 'listDerivatives',
          tag: 'derivatives',
          summary: 'List derivatives that are made, or were',
          description:
            'The newest first, fifty on a page, and how many there are in each state. Those that ended first are forgotten.',
          isForAnyone: false,
          responses: {
            200: { description: 'One page of them.', headers: CONTENT_HEADERS, content: jsonOf('Derivatives') },
          },
          failures: [403],
        }),
      },
    )
    .get(
      paths.derivative,
      async ({ call }) => {
        mayRead(call);
        return shown(call);
      },
      {
        check,
        params,
        detail: describe({
          operationId: 'getDerivative',
          tag: 'derivatives',
          summary: 'Read all about one derivative',
          isForAnyone: false,
          responses: {
            200: { description: 'With its event.', headers: CONTENT_HEADERS, content: jsonOf('DerivativeInFull') },
          },
          failures: [403, 404],
        }),
      },
    )
    .post(paths.derivativeRetry, async ({ call }) => change(call, retryJob), {
      check,
      params,
      detail: describeChange(
        'retryDerivative',
        'Try a derivative again',
        'At once, with all attempts before it. One that runs, is done or was cancelled is answered with 409.',
      ),
    })
    .post(paths.derivativeCancel, async ({ call }) => change(call, cancelJob), {
      check,
      params,
      detail: describeChange(
        'cancelDerivative',
        'Cancel a derivative',
        'What is made of it at this moment is not stored. One that is done or was cancelled is answered with 409.',
      ),
    });

function describeChange(operationId: string, summary: string, description: string) {
  const responses: Description['responses'] = {
    200: { description: 'As it is now.', headers: CONTENT_HEADERS, content: jsonOf('DerivativeInFull') },
  };
  const failures: Description['failures'] = [403, 404, 409];
  return describe({ operationId, tag: 'derivatives', summary, description, isForAnyone: false, responses, failures });
}

function mayRead(call: Call): void {
  call.allow(permissionAccess(call.actor, 'access site reports'));
}

async function change(call: Call, act: typeof retryJob): Promise<Response> {
  call.allow(permissionAccess(call.actor, 'administer site configuration'));
  if (!(await act(call.api.services, Number(call.params.job)))) throw call.notFound('job');
  return shown(call);
}

async function shown(call: Call): Promise<Response> {
  const job = await reportJob(call.api.services, Number(call.params.job), call.baseUrl);
  if (job === undefined) throw call.notFound('job');
  return json(JSON.stringify(jobInFullJson(job)));
}

/** Throws `malformed` for an action that neither the rules nor any job has. */
async function filterOf({ services }: ApiServices, query: typeof listQuery.static): Promise<ReportFilter> {
  const { state, action, node } = query;
  if (action !== undefined && !(await isActionKnown(services, action))) {
    const known = [...services.derivatives.rules.actions.keys()];
    throw malformed(`There is no action named ${quoted(action)}.${guessed(action, known)}`);
  }
  return { state, action, nodeId: node === undefined ? undefined : Number(node) };
}

function quoted(value: unknown): string {
  return JSON.stringify(String(value).slice(0, MAX_SHOWN_CHARS));
}

function guessed(value: unknown, known: readonly string[]): string {
  const guess = nearest(String(value).slice(0, MAX_SHOWN_CHARS), known);
  return guess === undefined ? '' : ` Did you mean ${guess}?`;
}
