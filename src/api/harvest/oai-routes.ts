import { Type as t } from '@sinclair/typebox';
import { answerRequest } from '../../harvest/oai/answer-request.ts';
import type { HarvestServices } from '../../harvest/oai/harvest-services.ts';
import type { OaiParameters } from '../../harvest/oai/parse-request.ts';
import { noteBody } from '../../http/compression.ts';
import { readBodyText } from '../../http/read-body.ts';
import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import { requireRecords } from '../../repository/search-index/require-records.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { parametersOf } from '../../web/formats.ts';
import { type Description, describe } from '../../web/openapi/describe.ts';
import { VARY_BY_CALLER } from '../../web/respond.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
/** Several times the longest valid request. */
const MAX_FORM_BYTES = 64 * 1024;
const READ = 'restful get oai_pmh';
const READ_BY_POST = 'restful post oai_pmh';

const argument = (description: string) => t.Optional(t.String({ description }));
const ARGUMENTS = {
  verb: argument('Identify, ListMetadataFormats, ListSets, ListIdentifiers, ListRecords or GetRecord.'),
  identifier: argument('The identifier of a record.'),
  metadataPrefix: argument('The format, such as oai_dc.'),
  from: argument('The earliest change, a day or a time in UTC.'),
  until: argument('The latest change.'),
  set: argument('The setSpec of a set.'),
  resumptionToken: argument('The token of the previous part of a list.'),
};

/** The routes of OAI-PMH 2.0. All callers see the records that callers without credentials may view. */
export function oaiRoutes(api: ApiServices) {
  const { model, database, fields, now, access } = api.services;
  const services: HarvestServices = {
    ...{ model, database, now, access, fieldTypes: fields.types, kinds: api.kinds, terms: api.knownTerms },
    ...{ viewer: api.anonymous, secret: api.secret },
    get siteName() {
      return api.siteName;
    },
    ...{ adminEmail: api.oai.adminEmail, pageSize: api.oai.pageSize },
  };
  return resource(api)
    .get(paths.oai, ({ call }) => answer(services, call, [...parametersOf(call.request.url)]), {
      check: {
        resource: 'oai_pmh',
        formats: 'single',
        access: (call: Call) => call.allow(permissionAccess(call.actor, READ)),
      },
      query: t.Object(ARGUMENTS, { additionalProperties: true }),
      detail: describe({ ...DESCRIBED, operationId: 'harvest' }),
    })
    .post(paths.oai, async ({ call }) => answer(services, call, await readForm(call)), {
      parse: 'none',
      check: {
        resource: 'oai_pmh',
        formats: 'single',
        accepts: FORM_TYPE,
        needsCsrfToken: false,
        isReading: true,
        access: (call: Call) => call.allow(permissionAccess(call.actor, READ, READ_BY_POST)),
      },
      detail: describe({
        ...DESCRIBED,
        operationId: 'harvestByPost',
        stream: { [FORM_TYPE]: t.Object(ARGUMENTS) },
        isForAnyone: true,
        failures: [403, 408, 413, 415],
      }),
    });
}

const DESCRIBED: Omit<Description, 'operationId'> = {
  tag: 'harvesting',
  summary: 'Harvest metadata over OAI-PMH 2.0',
  description: 'Errors of the protocol are XML documents with the status 200.',
  responses: {
    200: {
      description: 'The response to the verb.',
      headers: ['Cache-Control', 'X-Content-Type-Options'],
      content: { 'text/xml': t.String({ description: 'An XML document.' }) },
    },
  },
  failures: [403],
};

async function readForm({ request }: Call): Promise<OaiParameters> {
  return [...new URLSearchParams(await readBodyText(request, MAX_FORM_BYTES))];
}

async function answer(services: HarvestServices, call: Call, parameters: OaiParameters): Promise<Response> {
  await requireRecords(services.database);
  const { baseUrl } = call;
  const site = { baseUrl, host: new URL(baseUrl).hostname };
  const body = await answerRequest(services, site, baseUrl + paths.oai, parameters);
  const headers = {
    'Content-Type': 'text/xml; charset=utf-8',
    'Cache-Control': 'must-revalidate, no-cache, private',
    'X-Content-Type-Options': 'nosniff',
    Vary: VARY_BY_CALLER,
  };
  return noteBody(new Response(body, { headers }), body);
}
