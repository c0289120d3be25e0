import { malformed } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { paths } from '../paths.ts';
import { permissionAccess } from '../repository/access.ts';
import { cancelJob, retryJob } from '../repository/derivatives/change-jobs.ts';
import {
  isActionKnown,
  REPORTED_STATES,
  type ReportFilter,
  reportJob,
  reportJobs,
} from '../repository/derivatives/report-jobs.ts';
import { jobInFullJson, jobReportJson } from '../representation/derivative-json.ts';
import { type Call, parseId } from './call.ts';
import { pageOrFirst } from './list-routes.ts';
import * as described from './openapi/describe-derivatives.ts';
import { json } from './respond.ts';
import type { Route } from './routes.ts';

const PAGE_SIZE = 50;
const MAX_PAGE_SIZE = 500;
/** More of a word that was not understood helps nobody. */
const MAX_SHOWN_CHARS = 50;

/** What becomes of derivatives, for administrators. */
export const derivativeRoutes: readonly Route[] = [
  { method: 'GET', path: paths.derivatives, description: described.listDerivatives, answer: list },
  { method: 'GET', path: paths.derivative, description: described.readDerivative, answer: show },
  {
    method: 'POST',
    path: paths.derivativeRetry,
    description: described.retryDerivative,
    answer: (call) => change(call, retryJob, paths.derivativeRetry),
  },
  {
    method: 'POST',
    path: paths.derivativeCancel,
    description: described.cancelDerivative,
    answer: (call) => change(call, cancelJob, paths.derivativeCancel),
  },
];

async function list(call: Call): Promise<Response> {
  call.allow(permissionAccess(call.actor, 'access site reports'));
  const { services } = call.api;
  const size = pageSizeOf(call);
  const filter = await filterOf(call);
  const page = pageOrFirst(call, size);
  return json(JSON.stringify(jobReportJson(await reportJobs(services, filter, page))));
}

async function show(call: Call): Promise<Response> {
  call.allow(permissionAccess(call.actor, 'access site reports'));
  return shown(call, paths.derivative);
}

async function change(call: Call, act: typeof retryJob, path: string): Promise<Response> {
  call.allow(permissionAccess(call.actor, 'administer site configuration'));
  const id = parseId(call.params.job);
  if (id === undefined || !(await act(call.api.services, id))) throw notFound(call, path);
  return shown(call, path);
}

async function shown(call: Call, path: string): Promise<Response> {
  const id = parseId(call.params.job);
  const job = id === undefined ? undefined : await reportJob(call.api.services, id, call.baseUrl);
  if (job === undefined) throw notFound(call, path);
  return json(JSON.stringify(jobInFullJson(job)));
}

function notFound(call: Call, path: string) {
  return call.notFound('job', path, 'derivatives.job');
}

async function filterOf(call: Call): Promise<ReportFilter> {
  const [stateText, action, nodeText] = [call.query('state'), call.query('action'), call.query('node')];
  const state = REPORTED_STATES.find((known) => known === stateText);
  if (stateText !== undefined && state === undefined)
    throw malformed(
      `There is no state named ${quoted(stateText)}. The states are ${REPORTED_STATES.join(', ')}.${guessed(stateText, REPORTED_STATES)}`,
    );
  const nodeId = parseId(nodeText);
  if (nodeText !== undefined && nodeId === undefined)
    throw malformed(`The query parameter "node" must be the id of a node, found ${quoted(nodeText)}.`);
  if (action !== undefined && !(await isActionKnown(call.api.services, action))) {
    const known = [...call.api.services.derivatives.rules.actions.keys()];
    throw malformed(`There is no action named ${quoted(action)}.${guessed(action, known)}`);
  }
  return { state, action, nodeId };
}

function pageSizeOf(call: Call): number {
  const text = call.query('items_per_page');
  if (text === undefined) return PAGE_SIZE;
  const size = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (size >= 1 && size <= MAX_PAGE_SIZE) return size;
  throw malformed(
    `The query parameter "items_per_page" must be a number from 1 to ${MAX_PAGE_SIZE}, found ${quoted(text)}.`,
  );
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, MAX_SHOWN_CHARS));
}

function guessed(word: string, known: readonly string[]): string {
  const guess = nearest(word.slice(0, MAX_SHOWN_CHARS), known);
  return guess === undefined ? '' : ` Did you mean ${guess}?`;
}
