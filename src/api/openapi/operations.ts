import { type TObject, Type as t } from '@sinclair/typebox';
import { AUTHENTICATION_TYPES, type AuthenticationType } from '../../model/content-model.ts';
import type { ApiServices } from '../api-services.ts';
import type { ResponseDescription, RouteDescription } from '../route-description.ts';
import { acceptedBy, formatsOf, needsCsrfToken, type Route } from '../routes.ts';
import { FAILURES, FAILURES_OF_EVERY_ROUTE, type FailureStatus, orPage } from './failures.ts';
import { contentOf, headerReferences, type Json } from './json-schema.ts';
import { oneOf } from './scalars.ts';

/** What the generator is given of one operation. */
export interface Operation {
  /** Schemas that it makes parameters of. */
  readonly hooks: { readonly params?: TObject; readonly query?: TObject; readonly headers?: TObject };
  /** The rest: it has no words for an answer without a body, or of several media types. */
  readonly detail: Json & { readonly operationId: string; readonly summary: string };
}

/** A route as an operation, with what every route of its sort has: credentials, `_format`, and the errors of both. */
export function operationOf(api: ApiServices, route: Route): Operation {
  const { operationId, tag, summary, description, params, headers, body, responses, failures } = route.description;
  const query = queryOf(api, route);
  const statuses = [...new Set([...FAILURES_OF_EVERY_ROUTE, ...failures, ...failuresOfSort(route)])];
  return {
    hooks: { ...(params && { params }), ...(query && { query }), ...(headers && { headers }) },
    detail: {
      operationId,
      summary,
      ...(description !== undefined && { description }),
      tags: [tag],
      security: securityOf(api, route),
      ...(body && { requestBody: { required: true, content: contentOf(body) } }),
      responses: {
        ...Object.fromEntries(
          Object.entries(responses).map(([status, each]) => [status, responseOf(each, typesOf(api, route))]),
        ),
        ...Object.fromEntries(statuses.map((status) => [status, failureReference(status, route)])),
      },
    },
  };
}

/** The HEAD of a GET: the same statuses and headers, and no body. */
export function headOperation({ hooks, detail }: Operation): Operation {
  const { operationId, summary } = detail;
  return {
    hooks,
    detail: { ...detail, operationId: `${operationId}Head`, summary: `${summary}: the headers alone` },
  };
}

/** OPTIONS of the path of a route. Nobody needs to say who they are. */
export function optionsOperation({ description: { operationId, tag, params } }: Route): Operation {
  const response: ResponseDescription = {
    description: 'The methods are in Allow.',
    headers: ['Allow', 'X-Content-Type-Options'],
  };
  const preflight: ResponseDescription = {
    description: 'The answer to a preflight of a browser (`Access-Control-Request-Method`).',
    headers: [
      ...([
        'Access-Control-Allow-Credentials',
        'Access-Control-Allow-Headers',
        'Access-Control-Allow-Methods',
      ] as const),
      ...([
        'Access-Control-Allow-Origin',
        'Access-Control-Max-Age',
        'Allow',
        'Vary',
        'X-Content-Type-Options',
      ] as const),
    ],
  };
  return {
    hooks: { ...(params && { params }) },
    detail: {
      operationId: `${operationId}Options`,
      summary: 'Ask which methods there are',
      tags: [tag],
      security: [],
      responses: { 200: responseOf(response), 204: responseOf(preflight) },
    },
  };
}

function queryOf(api: ApiServices, route: Route): TObject | undefined {
  const { query } = route.description;
  if (route.hasFormats === false) return query;
  const format = { ...oneOf(Object.keys(formatsOf(api, route))), description: 'The form of the answer.' };
  return t.Object({ _format: t.Optional(format), ...query?.properties });
}

function failuresOfSort({ accepts }: Route): FailureStatus[] {
  return [406, ...(accepts === undefined ? [] : [415 as const])];
}

/** The media types that the configuration leaves of those of a route; undefined where it has no say. */
function typesOf(api: ApiServices, route: Route): ReadonlySet<string> | undefined {
  return route.hasFormats === false || route.formats === undefined
    ? undefined
    : new Set(Object.values(formatsOf(api, route)));
}

function responseOf({ description, headers = [], content }: ResponseDescription, types?: ReadonlySet<string>): Json {
  const offered = Object.entries(content ?? {}).filter(([type]) => types?.has(type) ?? true);
  return {
    description,
    ...(headers.length > 0 && { headers: headerReferences(headers) }),
    ...(content && { content: contentOf(Object.fromEntries(offered)) }),
  };
}

function failureReference(status: FailureStatus, { method }: Route): Json {
  const { name } = FAILURES[status];
  return { $ref: `#/components/responses/${method === 'GET' ? orPage(name) : name}` };
}

/** How a caller may prove who they are; an empty one where nobody has to. */
function securityOf(api: ApiServices, route: Route): Way[] {
  const { isForAnyone = route.method === 'GET' }: RouteDescription = route.description;
  const isGuarded = needsCsrfToken(route);
  const ways = (acceptedBy(api, route) ?? AUTHENTICATION_TYPES).map((type) => WAYS[type](isGuarded));
  return [...(isForAnyone ? [{}] : []), ...ways];
}

type Way = Record<string, never[]>;

const WAYS: Readonly<Record<AuthenticationType, (isGuarded: boolean) => Way>> = {
  basic_auth: () => ({ basic: [] }),
  jwt_auth: () => ({ token: [] }),
  cookie: (isGuarded) => (isGuarded ? { session: [], csrf: [] } : { session: [] }),
};
