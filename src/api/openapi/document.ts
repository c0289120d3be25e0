import { toOpenAPISchema } from '@elysiajs/openapi/openapi';
import type { AnyElysia } from 'elysia';
import { REST_METHODS } from '../../model/rest.ts';
import type { ApiServices } from '../api-services.ts';
import { rulesOf } from '../check.ts';
import { addAliasShapes } from './alias-shapes.ts';
import { JSON_TYPE, PAGE_TYPE } from './answers.ts';
import { Components, shape } from './components.ts';
import { addConfigShapes } from './config-shapes.ts';
import { addContentShapes } from './content-shapes.ts';
import { addDerivativeShapes } from './derivative-shapes.ts';
import { descriptionIn, TAGS } from './describe.ts';
import { FAILURES, type FailureDescription, orPage } from './failures.ts';
import { HEADERS, type HeaderName } from './headers.ts';
import { headerReferences, type Json, jsonSchema, mapValues, OPENAPI_VERSION } from './json-schema.ts';
import { type DescribedRoute, headOperation, operationOf, optionsOperation } from './operations.ts';
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

/** Describes the routes of the app that serves, as the configuration offers them, with the shapes of the content model. */
export function createDocument(api: ApiServices, app: AnyElysia): ApiDocument {
  const components = new Components(api.services.fields.types);
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
    paths: pathsOf(api, app),
    components: {
      schemas: mapValues(Object.fromEntries(components.schemas), jsonSchema),
      headers: mapValues(HEADERS, ({ description, isRequired, schema }) => ({
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

/** Returns the operations of the routes that the configuration offers, with HEAD and OPTIONS. */
function pathsOf(api: ApiServices, app: AnyElysia): ApiDocument['paths'] {
  const generated = toOpenAPISchema(app, EVERYTHING, undefined, undefined, OPENAPI_VERSION).paths;
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const route of app.routes) {
    const method = REST_METHODS.find((known) => known === route.method);
    const rules = rulesOf(route);
    if (method === undefined || rules === undefined || !api.offers(method, route.path)) continue;
    const name = method.toLowerCase();
    const path = inBraces(route.path);
    const parameters = (generated[path] as Json)[name] as Pick<OperationObject, 'parameters'>;
    const described: DescribedRoute = {
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

/** The generator leaves out OPTIONS, and paths with a dot, unless it is told otherwise. */
const EVERYTHING = { methods: [], staticFile: false };

/** The path of a route as OpenAPI writes it. */
function inBraces(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/** OpenAPI has no wildcards: the rest of a path is a parameter as any other. */
function named(parameter: ParameterObject): ParameterObject {
  return parameter.name === '*' ? { ...parameter, name: 'path' } : parameter;
}

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
