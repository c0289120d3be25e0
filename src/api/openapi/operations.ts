import type { TObject, TSchema } from '@sinclair/typebox';
import { AUTHENTICATION_TYPES, type AuthenticationType, type RestMethod } from '../../model/rest.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { ANY_TYPE, offerOf, type Rules } from '../../web/check.ts';
import { isLenient } from '../../web/lenient-body.ts';
import { type Description, JSON_TYPE, type ResponseDescription } from '../../web/openapi/describe.ts';
import { FAILURES, FAILURES_OF_EVERY_ROUTE, type FailureStatus, orPage } from '../../web/openapi/failures.ts';
import { contentOf, headerReferences, type Json, jsonSchema, mapValues } from './json-schema.ts';

/** An operation of the document. */
export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: {
    readonly required: true;
    readonly content: Readonly<Record<string, { readonly schema: Json }>>;
  };
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface ParameterObject {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Json;
}

export interface ResponseObject {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}

/** A route with all that its operation is generated from. */
export interface RouteDescription {
  readonly method: RestMethod;
  readonly rules: Rules;
  readonly description: Description;
  /** The schema of its JSON body. */
  readonly body: TSchema | undefined;
  /** The parameters of path and query, generated from the schemas of the route. */
  readonly parameters: readonly ParameterObject[];
}

/** Returns the operation of a route, with the credentials, `_format` and errors that all routes have in common. */
export function operationOf(api: ApiServices, route: RouteDescription): OperationObject {
  const { rules, description: described } = route;
  const { operationId, tag, summary, description, headers, stream, responses, failures } = described;
  const accepts = rules.accepts ?? (rules.json ? JSON_TYPE : ANY_TYPE);
  const ofRequest: readonly FailureStatus[] = accepts === ANY_TYPE ? [406] : [406, 415];
  const statuses = [...new Set([...FAILURES_OF_EVERY_ROUTE, ...failures, ...ofRequest])];
  const body = stream ?? (route.body && { [JSON_TYPE]: shownBody(route.body) });
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

/** Returns the HEAD of a GET. */
export function headOperation(operation: OperationObject): OperationObject {
  const { operationId, summary } = operation;
  return { ...operation, operationId: `${operationId}Head`, summary: `${summary}: headers only` };
}

/** Returns the OPTIONS of a path, which requires no credentials. */
export function optionsOperation({ description: { operationId, tag }, parameters }: RouteDescription): OperationObject {
  const ofPath = parameters.filter((parameter) => parameter.in === 'path');
  const response: ResponseDescription = {
    description: 'Allow lists the methods.',
    headers: ['Allow', 'X-Content-Type-Options'],
  };
  const preflight: ResponseDescription = {
    description: 'The answer to a preflight request of a browser (`Access-Control-Request-Method`).',
    headers: [
      'Access-Control-Allow-Credentials',
      'Access-Control-Allow-Headers',
      'Access-Control-Allow-Methods',
      'Access-Control-Allow-Origin',
      'Access-Control-Max-Age',
      'Allow',
      'Vary',
      'X-Content-Type-Options',
    ],
  };
  return {
    operationId: `${operationId}Options`,
    summary: 'List the methods',
    tags: [tag],
    ...(ofPath.length > 0 && { parameters: ofPath }),
    responses: { 200: responseOf(response), 204: responseOf(preflight) },
    security: [],
  };
}

/** Returns the schema of a JSON body as the document shows it. */
export function shownBody(body: TSchema): TSchema {
  return isLenient(body) ? body.shown : body;
}

/** Returns the parameters of path and query, with `_format` where a route has formats. */
function parametersOf(api: ApiServices, { rules, method, parameters }: RouteDescription): ParameterObject[] {
  const { formats } = offerOf(api, rules, method);
  const ofPath = parameters.filter((parameter) => parameter.in === 'path');
  const ofQuery = parameters.filter((parameter) => parameter.in === 'query');
  if (formats === 'single') return [...ofPath, ...ofQuery];
  const schema = { type: 'string', enum: Object.keys(formats), description: 'The representation.' };
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

/** Returns the media types of a route that the configuration enables. Undefined if it cannot restrict them. */
function typesOf(api: ApiServices, { rules, method }: RouteDescription): ReadonlySet<string> | undefined {
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

function failureReference(status: FailureStatus, { method }: RouteDescription): ResponseObject {
  const { name } = FAILURES[status];
  return { $ref: `#/components/responses/${method === 'GET' ? orPage(name) : name}` };
}

/** Returns the authentication schemes of a route, with an empty one if credentials are optional. */
function securityOf(api: ApiServices, { rules, method, description }: RouteDescription): Scheme[] {
  const { isForAnyone = method === 'GET' } = description;
  const { accepted, needsCsrfToken } = offerOf(api, rules, method);
  const schemes = (accepted.json ?? AUTHENTICATION_TYPES).map((type) => SCHEMES[type](needsCsrfToken));
  return [...(isForAnyone ? [{}] : []), ...schemes];
}

type Scheme = Record<string, never[]>;

const SCHEMES: Readonly<Record<AuthenticationType, (isGuarded: boolean) => Scheme>> = {
  basic_auth: () => ({ basic: [] }),
  jwt_auth: () => ({ token: [] }),
  cookie: (isGuarded) => (isGuarded ? { session: [], csrf: [] } : { session: [] }),
};
