import { createHash, timingSafeEqual } from 'node:crypto';
import { type TSchema, Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { CounterFailure, counterFailure } from '../../harvest/counter/counter-exceptions.ts';
import { type CounterServices, THE_WORLD, writeCounterReport } from '../../harvest/counter/counter-report.ts';
import {
  type AvailableMonths,
  COUNTER_REPORTS,
  type CounterReportName,
  monthText,
  parseCounterRequest,
} from '../../harvest/counter/counter-request.ts';
import { paths } from '../../paths.ts';
import { completeUntil } from '../../repository/usage/roll-up.ts';
import { dayOf, monthStart } from '../../repository/usage/usage-days.ts';
import { findFirstDay } from '../../repository/usage/usage-models.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { parametersOf } from '../../web/formats.ts';
import { answered, type Description, describe, JSON_TYPE } from '../../web/openapi/describe.ts';
import { queryOf } from '../../web/parameters.ts';
import { json } from '../../web/respond.ts';
import { streamText } from '../../web/stream-text.ts';

const NO_STORE = { 'Cache-Control': 'no-store, private' };
const asked = (description: string) => t.Optional(t.String({ description }));
const CALLER = {
  customer_id: asked(`Required: ${THE_WORLD.id}, which is “${THE_WORLD.Institution_Name}”.`),
  api_key: asked('Required: a key of the setting `usage.apiKeys`.'),
  requestor_id: asked('Ignored.'),
  platform: asked('Ignored.'),
};
const REPORT = {
  begin_date: asked('Required: the first month, such as 2026-01.'),
  end_date: asked('Required: the last month.'),
  metric_type: asked('Metrics with `|` between them (default: all).'),
  data_type: asked('Types of content with `|` between them (default: all).'),
  access_method: asked('`Regular` or `TDM`.'),
  granularity: asked('`Month`.'),
};

const EXCEPTION = t.Object({
  Code: t.Integer({ description: 'The number of the exception.' }),
  Message: t.String(),
  Data: t.Optional(t.String({ description: 'What it is about.' })),
});
const exception = (description: string) => ({ description, content: { [JSON_TYPE]: EXCEPTION } });
const EXCEPTIONS = {
  400: exception('A parameter is missing (1030), or a date is invalid (3020).'),
  401: exception('The key is invalid (2020).'),
  403: exception('The customer is unknown (2010).'),
};

function described(operationId: string, summary: string, schema: TSchema, isOpen = false): Description {
  return {
    operationId,
    tag: 'harvesting',
    summary,
    description: 'The COUNTER API (SUSHI), release 5.1.',
    responses: { ...answered('As the COUNTER API describes.', schema), ...(isOpen ? {} : EXCEPTIONS) },
    failures: [],
  };
}

/** The routes of the COUNTER API (https://cop5.countermetrics.org/en/5.1.0.1/08-counter-sushi/). */
export const counterRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.counterStatus, ({ call }) => answerStatus(call), {
      check: { formats: 'single' },
      query: queryOf({ platform: CALLER.platform }),
      detail: describe(described('getCounterStatus', 'Read the state of the COUNTER API', t.Array(t.Object({})), true)),
    })
    .get(paths.counterMembers, ({ call }) => answer(call, () => json(JSON.stringify([member()]), 200, NO_STORE)), {
      check: { formats: 'single' },
      query: queryOf(CALLER),
      detail: describe(described('listCounterMembers', 'List the customers of the COUNTER API', t.Array(t.Object({})))),
    })
    .get(paths.counterReports, ({ call }) => answer(call, () => answerList(call)), {
      check: { formats: 'single' },
      query: queryOf(CALLER),
      detail: describe(described('listCounterReports', 'List the reports of the COUNTER API', t.Array(t.Object({})))),
    })
    .get(paths.counterReport, ({ call, params }) => answer(call, () => answerReport(call, params.report)), {
      check: { formats: 'single' },
      params: t.Object({ report: t.String({ description: `One of ${Object.keys(COUNTER_REPORTS).join(', ')}.` }) }),
      query: queryOf({ ...CALLER, ...REPORT }),
      detail: describe({
        ...described('getCounterReport', 'Read a report of COUNTER', t.Object({})),
        failures: [404],
      }),
    });

/** Returns an answer for a caller with a key, or the exception for any other. */
async function answer(call: Call, work: () => Response | Promise<Response>): Promise<Response> {
  try {
    requireCaller(call);
    return await work();
  } catch (error) {
    if (!(error instanceof CounterFailure)) throw error;
    return json(JSON.stringify(error.exception), error.status, NO_STORE);
  }
}

function requireCaller({ api, request }: Call): void {
  const query = parametersOf(request.url);
  const missing = ['customer_id', 'api_key'].filter((name) => !query.get(name));
  if (missing.length > 0) throw counterFailure(400, 1030, `missing: ${missing.join(', ')}`);
  const key = digestOf(query.get('api_key') ?? '');
  if (!api.usage.apiKeys.some((each) => timingSafeEqual(digestOf(each), key))) throw counterFailure(401, 2020);
  if (query.get('customer_id') !== THE_WORLD.id) throw counterFailure(403, 2010, `customer_id: ${THE_WORLD.id}`);
}

function digestOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

function answerStatus({ api }: Call): Response {
  const { counter, registryRecord } = api.usage;
  const status = {
    Description: `COUNTER usage reports of ${api.siteName}`,
    Service_Active: counter !== undefined,
    ...(registryRecord !== undefined && { Registry_Record: registryRecord }),
  };
  return json(JSON.stringify([status]), 200, NO_STORE);
}

function member(): object {
  const { id, Institution_Name, Institution_ID } = THE_WORLD;
  return { Customer_ID: id, Institution_Name, Institution_ID };
}

async function answerList({ api }: Call): Promise<Response> {
  const { first, last } = await findAvailable(api);
  const reports = Object.entries(COUNTER_REPORTS).map(([name, { id, name: title, description }]) => ({
    Report_Name: title,
    Report_ID: id,
    Release: '5.1',
    Report_Description: description,
    Path: `/r51/reports/${name}`,
    First_Month_Available: monthText(first),
    Last_Month_Available: monthText(last),
  }));
  return json(JSON.stringify(reports), 200, NO_STORE);
}

async function answerReport(call: Call, name: string): Promise<Response> {
  const { api, request, baseUrl } = call;
  if (!isReport(name)) throw new ServiceError('not-found', `There is no report ${JSON.stringify(name.slice(0, 20))}.`);
  const { database, model, now } = api.services;
  const asked = parseCounterRequest(name, parametersOf(request.url), await findAvailable(api));
  const services: CounterServices = {
    ...{ database, model, now, baseUrl, viewer: api.anonymous },
    ...{ siteName: api.siteName, registryRecord: api.usage.registryRecord },
  };
  return json(
    request.method === 'HEAD' ? '' : streamText(call, writeCounterReport(services, name, asked)),
    200,
    NO_STORE,
  );
}

function isReport(name: string): name is CounterReportName {
  return Object.hasOwn(COUNTER_REPORTS, name);
}

/** Finds the months of reports: from the first use to the last complete month. */
async function findAvailable({ services: { database, now } }: ApiServices): Promise<AvailableMonths> {
  const last = monthStart(dayOf(completeUntil(now())), 1);
  const first = await findFirstDay(database);
  return { first: first === undefined ? last : Math.min(monthStart(first), last), last };
}
