import { type TSchema, Type as t } from '@sinclair/typebox';
import { malformed } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { closed, integerOrNull, oneOf, text, textOrNull, UUID_PATTERN } from '../../field-types/schemas.ts';
import { cancelJob, retryJob } from '../../jobs/change-jobs.ts';
import { isActionKnown, REPORTED_STATES, type ReportFilter, reportJob, reportJobs } from '../../jobs/report-jobs.ts';
import { answerDerivatives } from '../../pages/admin/derivatives-form.ts';
import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import { jobInFullJson, jobReportJson } from '../../representation/derivative-json.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { type Call, parseId } from '../../web/call.ts';
import { type Rules, resource } from '../../web/check.ts';
import { PAGE_AND_JSON_FORMATS } from '../../web/formats.ts';
import { namedSchema, orNull } from '../../web/openapi/components.ts';
import {
  answered,
  answeredAs,
  type Description,
  describe,
  JSON_TYPE,
  PAGE_CONTENT,
} from '../../web/openapi/describe.ts';
import { id, PAGE_QUERY, pageOrFirst, parameter, queryOf } from '../../web/parameters.ts';
import { json, VARY_BY_ACCEPT } from '../../web/respond.ts';

const PAGE_SIZE = 50;
/** The number of jobs on one HTML page. */
const JOBS_OF_PAGE = 25;
const MAX_PAGE_SIZE = 500;
/** Maximum number of characters of an unknown word that an error shows. */
const MAX_SHOWN_CHARS = 50;

type ReportedState = (typeof REPORTED_STATES)[number];

const check: Rules = {};
const params = t.Object({ job: id('The id of the job.') });
/** In the order of the checks. */
const listQuery = queryOf({
  items_per_page: t.Optional(
    parameter(
      { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, description: 'The page size.' },
      (text) => /^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_PAGE_SIZE,
      (value) =>
        malformed(
          `The query parameter "items_per_page" must be a number from 1 to ${MAX_PAGE_SIZE}, found ${quoted(value)}.`,
        ),
    ),
  ),
  state: t.Optional(
    parameter<ReportedState>(
      { type: 'string', enum: [...REPORTED_STATES], description: 'Only jobs in this state.' },
      (text) => REPORTED_STATES.some((known) => known === text),
      (value) =>
        malformed(
          `Unknown state ${quoted(value)}. The states are ${REPORTED_STATES.join(', ')}.${guessed(value, REPORTED_STATES)}`,
        ),
    ),
  ),
  node: t.Optional(
    parameter(
      { type: 'integer', minimum: 1, description: 'Only jobs of this node.' },
      (text) => parseId(text) !== undefined,
      (value) => malformed(`The query parameter "node" must be the id of a node, found ${quoted(value)}.`),
    ),
  ),
  action: t.Optional(t.String({ description: 'Only jobs of this action of the rules.' })),
  ...PAGE_QUERY,
});

const moment = t.String({ format: 'date-time' });
const count = t.Integer({ minimum: 0 });

const jobMembers = {
  id: t.Integer({ minimum: 1 }),
  event_id: t.String({ pattern: UUID_PATTERN, description: 'The id of the job in all logs.' }),
  action: t.String({ description: 'The action of the rules.' }),
  node: t.Integer({ description: 'The node of the derivative.' }),
  media: { ...integerOrNull, description: 'The source media. Null for a derivative of all members of the node.' },
  user: t.Integer({ description: 'The user who triggered the job.' }),
  state: oneOf(REPORTED_STATES),
  attempts: count,
  created: moment,
  started: { ...orNull(moment), description: 'The start of the last attempt.' },
  ended: orNull(moment),
  due: { ...orNull(moment), description: 'The time of the next attempt. Null unless the job is queued.' },
  status: { ...integerOrNull, description: 'The HTTP status of the last failed attempt.' },
  message: { ...textOrNull, description: 'The reason for the failure, or for the wait.' },
  stderr: { ...textOrNull, description: 'The last line that the command wrote to stderr.' },
  source_type: t.String({ description: 'The MIME type of the source.' }),
};

const jobSchema = namedSchema('Derivative', closed(jobMembers));

const event = t.Object(
  { '@context': text, id: text, type: t.Literal('Activity') },
  { additionalProperties: true, description: 'The event for processors (ActivityStreams 2.0).' },
);
const jobInFullSchema = namedSchema(
  'DerivativeInFull',
  closed({ ...jobMembers, event: { ...orNull(event), description: 'Null once the job has ended.' } }),
);

const counts: TSchema = closed(Object.fromEntries(REPORTED_STATES.map((state) => [state, count])));
const jobsSchema = namedSchema('Derivatives', closed({ counts, jobs: t.Array(jobSchema) }));

/** Routes of derivative jobs, for administrators. */
export const derivativeRoutes = (api: ApiServices) =>
  resource(api)
    .get(
      paths.derivatives,
      async ({ call, query }) => {
        const usual = call.format === 'html' ? JOBS_OF_PAGE : PAGE_SIZE;
        const size = query.items_per_page === undefined ? usual : Number(query.items_per_page);
        const filter = await filterOf(api, query);
        const page = pageOrFirst(query, size);
        if (call.format === 'html') return answerDerivatives(call, filter, page);
        const headers: Record<string, string> = call.isNegotiated ? { Vary: VARY_BY_ACCEPT } : {};
        return json(JSON.stringify(jobReportJson(await reportJobs(api.services, filter, page))), 200, headers);
      },
      {
        check: { formats: PAGE_AND_JSON_FORMATS, access: mayRead },
        query: listQuery,
        detail: describe({
          operationId: 'listDerivatives',
          tag: 'derivatives',
          summary: 'List derivative jobs',
          description:
            'The newest first, fifty on a page, with the number of jobs in each state. The jobs that ended first are deleted after some time.',
          isForAnyone: false,
          responses: answeredAs('One page of jobs.', { [JSON_TYPE]: jobsSchema, ...PAGE_CONTENT }),
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
          summary: 'Read a derivative job',
          isForAnyone: false,
          responses: answered('The job with its event.', jobInFullSchema),
          failures: [403, 404],
        }),
      },
    )
    .post(paths.derivativeRetry, async ({ call }) => change(call, retryJob), {
      check,
      params,
      detail: describeChange(
        'retryDerivative',
        'Retry a derivative job',
        'The job starts at once, with all attempts available again. A running, finished or cancelled job returns 409.',
      ),
    })
    .post(paths.derivativeCancel, async ({ call }) => change(call, cancelJob), {
      check,
      params,
      detail: describeChange(
        'cancelDerivative',
        'Cancel a derivative job',
        'The result of a running attempt is discarded. A finished or cancelled job returns 409.',
      ),
    });

function describeChange(operationId: string, summary: string, description: string) {
  const responses = answered('The changed job.', jobInFullSchema);
  const failures: Description['failures'] = [403, 404, 409];
  return describe({ operationId, tag: 'derivatives', summary, description, isForAnyone: false, responses, failures });
}

function mayRead(call: Call): void {
  call.allow(permissionAccess(call.actor, 'access site reports'));
}

function mayChange(call: Call): void {
  call.allow(permissionAccess(call.actor, 'administer site configuration'));
}

async function change(call: Call, act: typeof retryJob): Promise<Response> {
  mayChange(call);
  if (!(await act(call.api.services, call.id('job')))) throw call.notFound('job');
  return shown(call);
}

async function shown(call: Call): Promise<Response> {
  const job = await reportJob(call.api.services, call.id('job'), call.baseUrl);
  if (job === undefined) throw call.notFound('job');
  return json(JSON.stringify(jobInFullJson(job)));
}

/** Returns the filter of a query. Throws `malformed` for an action that neither the rules nor any job has. */
async function filterOf({ services }: ApiServices, query: typeof listQuery.static): Promise<ReportFilter> {
  const { state, action, node } = query;
  if (action !== undefined && !(await isActionKnown(services, action))) {
    const known = [...services.derivatives.rules.actions.keys()];
    throw malformed(`Unknown action ${quoted(action)}.${guessed(action, known)}`);
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
