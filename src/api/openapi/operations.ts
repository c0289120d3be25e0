import type { TObject, TSchema } from '@sinclair/typebox';
import { AUTHENTICATION_TYPES, type AuthenticationType, type RestMethod } from '../../model/rest.ts';
import type { ApiServices } from '../api-services.ts';
import { ANY_TYPE, offerOf, type Rules } from '../check.ts';
import { isLenient } from '../lenient-body.ts';
import { JSON_TYPE } from './answers.ts';
import type { Description, ResponseDescription } from './describe.ts';
import type { OperationObject, ParameterObject, ResponseObject } from './document.ts';
import { FAILURES, FAILURES_OF_EVERY_ROUTE, type FailureStatus, orPage } from './failures.ts';
import { contentOf, headerReferences, jsonSchema, mapValues } from './json-schema.ts';

/** A route of the serving app, as the description needs it. */
export interface DescribedRoute {
  readonly method: RestMethod;
  readonly rules: Rules;
  readonly description: Description;
  /** The schema of its JSON body. */
  readonly body: TSchema | undefined;
  /** The parameters that the generator found in its schemas. */
  readonly parameters: readonly ParameterObject[];
}

/** Returns a route as an operation, with what all routes have in common: credentials, `_format`, and the errors of both. */
export function operationOf(api: ApiServices, route: DescribedRoute): OperationObject {
  const { rules, description: described } = route;
  const { operationId, tag, summary, description, headers, stream, responses, failures } = described;
  const accepts = rules.accepts ?? (rules.json ? JSON_TYPE : ANY_TYPE);
  const statuses = [
    ...new Set([
      ...FAILURES_OF_EVERY_ROUTE,
      ...failures,
      406,
      ...(accepts === ANY_TYPE ? [] : [415]),
    ] as FailureStatus[]),
  ];
  const body = stream ?? (route.body && { [JSON_TYPE]: isLenient(route.body) ? route.body.shown : route.body });
  const parameters = [...parametersOf(api, route), ...headerParameters(headers)];
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: contentOf(body) } }),
    responses: {
      ...mapValues(responses, (each) => responseOf(each, typesOf(api, route))),
      ...Object.fromEntries(statuses.map((status) => [status, failureReference(status, route)])),
    },
    security: securityOf(api, route),
  };
}

/** Returns the HEAD of a GET: the same statuses and headers, and no body. */
export function headOperation(operation: OperationObject): OperationObject {
  const { operationId, summary } = operation;
  return { ...operation, operationId: `${operationId}Head`, summary: `${summary}: the headers alone` };
}

/** Returns OPTIONS of the path of a route. No caller needs credentials. */
export function optionsOperation({ description: { operationId, tag }, parameters }: DescribedRoute): OperationObject {
  const ofPath = parameters.filter((parameter) => parameter.in === 'path');
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
    operationId: `${operationId}Options`,
    summary: 'Ask which methods there are',
    tags: [tag],
    ...(ofPath.length > 0 && { parameters: ofPath }),
    responses: { 200: responseOf(response), 204: responseOf(preflight) },
    security: [],
  };
}

/** Returns the parameters of path and query, with `_format` where a route has formats. */
function parametersOf(api: ApiServices, { rules, method, parameters }: DescribedRoute): ParameterObject[] {
  const { formats } = offerOf(api, rules, method);
  const ofPath = parameters.filter((parameter) => parameter.in === 'path');
  const ofQuery = parameters.filter((parameter) => parameter.in === 'query');
  if (formats === 'single') return [...ofPath, ...ofQuery];
  const schema = { type: 'string', enum: Object.keys(formats), description: 'The form of the answer.' };
  return [...ofPath, { name: '_format', in: 'query', required: false, schema }, ...ofQuery];
}

function headerParameters(headers: TObject | undefined): ParameterObject[] {
  return Object.entries(headers?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'header',
    required: headers?.required?.includes(name) ?? false,
    schema: jsonSchema(schema),
  }));
}

/** The media types that the configuration leaves of those of a route; undefined where it has no say. */
function typesOf(api: ApiServices, { rules, method }: DescribedRoute): ReadonlySet<string> | undefined {
  const { formats } = offerOf(api, rules, method);
  return formats === 'single' || rules.formats === undefined ? undefined : new Set(Object.values(formats));
}

function responseOf(
  { description, headers = [], content }: ResponseDescription,
  types?: ReadonlySet<string>,
): ResponseObject {
  const offered = Object.entries(content ?? {}).filter(([type]) => types?.has(type) ?? true);
  return {
    description,
    ...(headers.length > 0 && { headers: headerReferences(headers) }),
    ...(content && { content: contentOf(Object.fromEntries(offered)) }),
  };
}

function failureReference(status: FailureStatus, { method }: DescribedRoute): ResponseObject {
  const { name } = FAILURES[status];
  return { $ref: `#/components/responses/${method === 'GET' ? orPage(name) : name}` };
}

/** Returns the authentication types of a route; an empty one where no credentials are needed. */
function securityOf(api: ApiServices, { rules, method, description }: DescribedRoute): Way[] {
  const { isForAnyone = method === 'GET' } = description;
  const { accepted, needsCsrfToken } = offerOf(api, rules, method);
  const ways = (accepted.json ?? AUTHENTICATION_TYPES).map((type) => WAYS[type](needsCsrfToken));
  return [...(isForAnyone ? [{}] : []), ...ways];
}

type Way = Record<string, never[]>;

const WAYS: Readonly<Record<AuthenticationType, (isGuarded: boolean) => Way>> = {
  basic_auth: () => ({ basic: [] }),
  jwt_auth: () => ({ token: [] }),
  cookie: (isGuarded) => (isGuarded ? { session: [], csrf: [] } : { session: [] }),
};
