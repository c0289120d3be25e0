import { toOpenAPISchema } from '@elysiajs/openapi/openapi';
import { Elysia } from 'elysia';
import type { ApiServices } from '../api-services.ts';
import { TAGS } from '../route-description.ts';
import { isOffered, type Route } from '../routes.ts';
import { addAliasShapes } from './alias-shapes.ts';
import { JSON_TYPE, PAGE_TYPE } from './answers.ts';
import { Components, shape } from './components.ts';
import { addConfigShapes } from './config-shapes.ts';
import { addContentShapes } from './content-shapes.ts';
import { addDerivativeShapes } from './derivative-shapes.ts';
import { FAILURES, type FailureDescription, orPage } from './failures.ts';
import { HEADERS, type HeaderName } from './headers.ts';
import { headerReferences, type Json, jsonSchema, OPENAPI_VERSION } from './json-schema.ts';
import { headOperation, type Operation, operationOf, optionsOperation } from './operations.ts';
import { addOtherShapes } from './other-shapes.ts';

/** The description of the API but for what depends on the address under which it is called. */
export interface ApiDocument {
  readonly openapi: typeof OPENAPI_VERSION;
  readonly info: Json;
  readonly tags: readonly Json[];
  /** Path, then method in lower case, to operation. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly headers: Readonly<Record<string, Json>>;
    readonly responses: Readonly<Record<string, Json>>;
  };
}

/** An operation as it stands in the document. */
export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly ParameterObject[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
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

/**
 * Describes these routes as the configuration offers them, with the shapes of the content model. The paths and their
 * parameters come from a second app, which is never served: the routes of the first must not check anything that
 * `routes.ts` checks in an order of its own.
 */
export function createDocument(api: ApiServices, routes: readonly Route[]): ApiDocument {
  const components = new Components();
  addContentShapes(components, api.kinds);
  addOtherShapes(components, api.services.model);
  addDerivativeShapes(components);
  addAliasShapes(components);
  addConfigShapes(components);
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
    paths: pathsOf(api, routes),
    components: {
      schemas: mapped(Object.fromEntries(components.schemas), jsonSchema),
      headers: mapped(HEADERS, ({ description, isRequired, schema }) => ({
        description,
        required: isRequired,
        schema: jsonSchema(schema),
      })),
      responses: Object.fromEntries(Object.values(FAILURES).flatMap(failureResponses)),
    },
  };
}

const INTRODUCTION = `Nodes, media, taxonomy terms, files and users, as JSON: every field is a list of items.

Errors are \`{"message": "…"}\`, one sentence, or a page for a browser. Any other method of an address is answered with 405 and \`Allow\`, and any other address with 404, in the same form. Wrong credentials are 401 everywhere.

Scripts of any site may read what is answered to GET and HEAD without credentials (CORS); the configuration may allow more to some origins.`;

function pathsOf(api: ApiServices, routes: readonly Route[]): ApiDocument['paths'] {
  const app = new Elysia();
  const add = (method: string, path: string, { hooks, detail }: Operation) =>
    app.route(method, path.replace('*', ':path'), NEVER_CALLED, { ...hooks, detail } as never);
  const offered = routes.filter((route) => isOffered(api, route));
  for (const [path, ofPath] of Map.groupBy(offered, (route) => route.path)) {
    for (const route of ofPath) {
      const operation = operationOf(api, route);
      add(route.method, path, operation);
      if (route.method === 'GET') add('HEAD', path, headOperation(operation));
    }
    add('OPTIONS', path, optionsOperation(ofPath[0] as Route));
  }
  const { paths } = toOpenAPISchema(app, EVERYTHING, undefined, undefined, OPENAPI_VERSION);
  return paths as unknown as ApiDocument['paths'];
}

const NEVER_CALLED = (() => '') as never;
/** Left to itself, the generator leaves out OPTIONS, and paths that have a dot. */
const EVERYTHING = { methods: [], staticFile: false };

/** A failure in JSON, and another one for reads, which a browser may have as a page. */
function failureResponses({ name, description, headers = [] }: FailureDescription): [name: string, response: Json][] {
  const names: HeaderName[] = ['Cache-Control', 'X-Content-Type-Options', ...headers];
  const content = { [JSON_TYPE]: { schema: jsonSchema(shape('Failure')) } };
  const page = { [PAGE_TYPE]: { schema: { type: 'string', description: 'A page for people.' } } };
  return [
    [name, { description, headers: headerReferences(names), content }],
    [
      orPage(name),
      {
        description,
        headers: headerReferences([...names, 'Content-Security-Policy']),
        content: { ...content, ...page },
      },
    ],
  ];
}

function mapped<From, To>(entries: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, map(value)]));
}
