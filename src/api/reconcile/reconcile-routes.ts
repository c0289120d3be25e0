import { Type as t } from '@sinclair/typebox';
import { type Candidate, findCandidates, type ReconcileServices } from '../../authorities/reconcile/find-candidates.ts';
import { parseBatch, parseSingle, type ReconciliationQuery } from '../../authorities/reconcile/parse-queries.ts';
import { malformed } from '../../base/errors.ts';
import { readBodyText } from '../../http/read-body.ts';
import { paths } from '../../paths.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { answered, type Description, describe } from '../../web/openapi/describe.ts';
import { queryOf } from '../../web/parameters.ts';
import { json } from '../../web/respond.ts';
import { extend } from './extend.ts';
import { manifest } from './manifest.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const MAX_FORM_BYTES = 4 * 1024 * 1024;

const FIELDS = {
  queries: t.Optional(t.String({ description: 'A batch of queries as a JSON object.' })),
  query: t.Optional(t.String({ description: 'One query, as JSON or as a text.' })),
  extend: t.Optional(t.String({ description: 'Ids and properties whose values are wanted, as a JSON object.' })),
};

type Fields = { readonly [Name in keyof typeof FIELDS]?: string | undefined };

const DESCRIBED: Omit<Description, 'operationId'> = {
  tag: 'search',
  summary: 'Reconcile names with terms',
  description:
    'The Reconciliation Service API 0.2 of the W3C community group, for OpenRefine: without parameters the description of the service, otherwise the terms that queries may mean, which the caller may view.',
  isForAnyone: true,
  responses: answered('The description, or the results by the names of the queries.', t.Object({})),
  failures: [400],
};

/** Returns what reconciliation works with. */
export function reconcileServices({ services, kinds }: ApiServices): ReconcileServices {
  return { database: services.database, model: services.model, kind: kinds.taxonomy_term };
}

/** The routes of the Reconciliation API: its description, queries and properties of terms. */
export const reconcileRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.reconcile, async ({ call, query }) => answer(call, query), {
      check: { formats: 'single' },
      query: queryOf(FIELDS),
      detail: describe({ ...DESCRIBED, operationId: 'reconcile' }),
    })
    .post(paths.reconcile, async ({ call }) => answerPost(call), {
      parse: 'none',
      check: { formats: 'single', accepts: FORM_TYPE, needsCsrfToken: false, isReading: true },
      detail: describe({
        ...DESCRIBED,
        operationId: 'reconcileByPost',
        stream: { [FORM_TYPE]: t.Object(FIELDS) },
        failures: [400, 408, 413, 415],
      }),
    });

async function answerPost(call: Call): Promise<Response> {
  const fields = new URLSearchParams(await readBodyText(call.request, MAX_FORM_BYTES));
  const field = (name: keyof Fields) => fields.get(name) ?? undefined;
  const response = await answer(call, { queries: field('queries'), query: field('query'), extend: field('extend') });
  // It reads what anyone may read, as a GET does.
  if (call.isAnonymous) response.headers.set('Access-Control-Allow-Origin', '*');
  return response;
}

async function answer(call: Call, { queries, query, extend: wanted }: Fields): Promise<Response> {
  const { api, actor, request } = call;
  const services = reconcileServices(api);
  if (wanted !== undefined) return json(JSON.stringify(await extend(services, actor, wanted)));
  if (query !== undefined) return json(JSON.stringify(await resultOf(call, parseSingle(query))));
  if (queries === undefined && request.method !== 'POST') return json(JSON.stringify(manifest(call)));
  if (queries === undefined) throw malformed('The form needs "queries", "query" or "extend".');
  const results: [string, object][] = [];
  for (const [name, each] of parseBatch(queries)) {
    request.signal.throwIfAborted();
    results.push([name, await resultOf(call, each)]);
  }
  return json(JSON.stringify(Object.fromEntries(results)));
}

async function resultOf({ api, actor }: Call, query: ReconciliationQuery): Promise<object> {
  const candidates = await findCandidates(reconcileServices(api), actor, query);
  return { result: candidates.map(candidateJson) };
}

function candidateJson({ id, name, vocabulary, score, isMatch }: Candidate): object {
  return {
    ...{ id: String(id), name, score, match: isMatch },
    type: [{ id: vocabulary.name, name: vocabulary.label }],
  };
}
