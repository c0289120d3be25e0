import { toOpenAPISchema } from '@elysiajs/openapi/openapi';
import type { AnyElysia } from 'elysia';
import { sessionCookieName } from '../../auth/session-token.ts';
import { REST_METHODS } from '../../model/rest.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { rulesOf } from '../../web/check.ts';
import { Components } from '../../web/openapi/components.ts';
import { descriptionIn, isHidden, JSON_TYPE, PAGE_CONTENT, TAGS } from '../../web/openapi/describe.ts';
import { FAILURES, type FailureDescription, failureSchema, orPage } from '../../web/openapi/failures.ts';
import { HEADERS, type HeaderName } from '../../web/openapi/headers.ts';
import { contentOf, headerReferences, type Json, jsonSchema, mapValues, OPENAPI_VERSION } from './json-schema.ts';
import {
  headOperation,
  type OperationObject,
  operationOf,
  optionsOperation,
  type ParameterObject,
  type RouteDescription,
  shownBody,
} from './operations.ts';

/** The document without the parts that depend on the base URL. */
export interface ApiDocument {
  readonly openapi: typeof OPENAPI_VERSION;
  readonly info: Json;
  readonly tags: readonly Json[];
  /** Operations by path and by method in lower case. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly headers: Readonly<Record<string, Json>>;
    readonly responses: Readonly<Record<string, Json>>;
  };
}

/** Creates the document of the routes that an app serves, with the schemas that they refer to. */
export function createDocument(api: ApiServices, app: AnyElysia): ApiDocument {
  const { name, version, license, description } = api.program;
  return {
    openapi: OPENAPI_VERSION,
    info: {
      title: name,
      version,
      summary: description,
      description: INTRODUCTION,
      license: { name: license, identifier: license },
    },
    tags: Object.entries(TAGS).map(([tag, words]) => ({ name: tag, description: words })),
    paths: pathsOf(api, app),
    components: {
      schemas: mapValues(Object.fromEntries(schemasOf(api, app)), jsonSchema),
      headers: mapValues(HEADERS, ({ description, isRequired, schema }) => ({
        description,
        required: isRequired,
        schema: jsonSchema(schema),
      })),
      responses: Object.fromEntries(Object.values(FAILURES).flatMap(failureResponses)),
    },
  };
}

const INTRODUCTION = `Nodes, media, taxonomy terms, files and users as JSON. Every field is a list of items. An address with a page answers it to a client that names no format: send \`_format=json\` or \`Accept: application/json\`.

Errors are \`{"message": "…"}\` with one sentence, or an HTML page for a browser. A method that an address does not support returns 405 with \`Allow\`. An unknown address returns 404. Invalid credentials return 401 at every address.

Scripts of any site may read what GET and HEAD return without credentials (CORS). The configuration may allow more to some origins.`;

/** Returns the schemas that the routes refer to, also those of routes that the configuration disables. */
function schemasOf(api: ApiServices, app: AnyElysia) {
  const described = app.routes
    .filter((route) => rulesOf(route) !== undefined && !isHidden(route.hooks.detail))
    .map(({ hooks: { detail, body } }) => [descriptionIn(detail), body && shownBody(body)]);
  return new Components(api, [described, failureSchema]).schemas;
}

/** Returns the operations of the routes that the configuration enables, with HEAD and OPTIONS. */
function pathsOf(api: ApiServices, app: AnyElysia): ApiDocument['paths'] {
  const generated = toOpenAPISchema(app, EVERYTHING, undefined, undefined, OPENAPI_VERSION).paths;
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const route of app.routes) {
    const method = REST_METHODS.find((known) => known === route.method);
    const rules = rulesOf(route);
    if (method === undefined || rules === undefined || isHidden(route.hooks.detail)) continue;
    if (!api.offers(method, route.path)) continue;
    const name = method.toLowerCase();
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    const parameters = (generated[path] as Json)[name] as Pick<OperationObject, 'parameters'>;
    const described: RouteDescription = {
      method,
      rules,
      description: descriptionIn(route.hooks.detail),
      body: route.hooks.body,
      parameters: (parameters.parameters ?? []).map(named),
    };
    const operation = operationOf(api, described);
    const shown = path.replace('*', '{path}');
    const ofPath = paths[shown] ?? { options: optionsOperation(described) };
    paths[shown] = ofPath;
    ofPath[name] = operation;
    if (method === 'GET') ofPath.head = headOperation(operation);
  }
  return paths;
}

/** Makes the generator include OPTIONS and paths with a dot. */
const EVERYTHING = { methods: [], staticFile: false };

/** OpenAPI has no wildcards: the rest of a path becomes the parameter `path`. */
function named(parameter: ParameterObject): ParameterObject {
  return parameter.name === '*' ? { ...parameter, name: 'path' } : parameter;
}

/** Returns the responses of a failure: JSON, and for reads JSON or an HTML page. */
function failureResponses({ name, description, headers = [] }: FailureDescription): [name: string, response: Json][] {
  const names: HeaderName[] = ['Cache-Control', 'X-Content-Type-Options', ...headers];
  const json = { [JSON_TYPE]: failureSchema };
  const pageHeaders = headerReferences([...names, 'Content-Security-Policy']);
  return [
    [name, { description, headers: headerReferences(names), content: contentOf(json) }],
    [orPage(name), { description, headers: pageHeaders, content: contentOf({ ...json, ...PAGE_CONTENT }) }],
  ];
}

/** Returns a function that writes the document as JSON for a base URL, which it contains with the name of the session cookie. */
export function createDocumentText(document: ApiDocument): (baseUrl: string) => string {
  const { openapi, info, tags, paths, components } = document;
  const head = JSON.stringify({ openapi, info }).slice(0, -1);
  const tail = `${JSON.stringify(components).slice(1)},${JSON.stringify({ tags, paths }).slice(1)}`;
  return (baseUrl) => {
    const servers = JSON.stringify([{ url: baseUrl }]);
    const schemes = JSON.stringify(securitySchemes(sessionCookieName(baseUrl)));
    return `${head},"servers":${servers},"components":{"securitySchemes":${schemes},${tail}`;
  };
}

function securitySchemes(cookie: string) {
  return {
    basic: { type: 'http', scheme: 'basic', description: 'User name and password.' },
    token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A token of `/jwt/token`.' },
    session: { type: 'apiKey', in: 'cookie', name: cookie, description: 'The session that `/user/login` begins.' },
    csrf: {
      type: 'apiKey',
      in: 'header',
      name: 'X-CSRF-Token',
      description: 'The token of `/session/token`, required with the session cookie.',
    },
  };
}
