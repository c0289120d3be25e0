import { type AnyElysia, Elysia, type TSchema } from 'elysia';
import { ServiceError } from '../base/errors.ts';
import { parseMediaType } from '../base/media-type.ts';
import { recordOf } from '../http/request-log.ts';
import type { AuthenticationType, RestMethod } from '../model/rest.ts';
import type { ContentType } from '../repository/access-rule.ts';
import type { BegunRead } from '../repository/content/read-content.ts';
import type { ApiServices } from './api-services.ts';
import { Call, callOf, type Params, parseId, rememberCall } from './call.ts';
import { chooseFormat, type Format, type Formats, JSON_FORMATS, parametersOf, theOneFormat } from './formats.ts';
import { hasCredentials, identify } from './identify.ts';
import { readLenient } from './lenient-body.ts';
import { refuse } from './refuse.ts';

/** The rules of one route, beyond the schemas that Elysia validates. */
export interface Rules {
  /** The name for which the configuration sets methods, formats and authentication types (`rest` of the model). */
  readonly resource?: string;
  /** The authentication types of a route without `resource` (default: all). */
  readonly authentication?: readonly AuthenticationType[];
  /** True if the route reads a JSON body, which its schema `body` validates. */
  readonly json?: boolean;
  /** The only media type that a request may send (default: JSON for `json`, otherwise any). */
  readonly accepts?: string;
  /** Maximum size of a JSON body in bytes (default: the server's limit). */
  readonly maxBytes?: number;
  /** False if a session cookie requires no CSRF token for a write. A PUT never requires one: no form of another site sends it. */
  readonly needsCsrfToken?: boolean;
  /** The representations (default: JSON). `single`: an address of bytes or keys, which accepts any known `_format`. */
  readonly formats?: Formats | 'single';
  /** The route's name in 404 messages. To `rest.entity.TYPE` they append the method. */
  readonly name?: string;
  /** The path in 404 messages (default: that of the route). */
  readonly shownPath?: string;
  /** Checks access before a JSON body is read and before the query is validated. Other routes may check it in their handler. */
  readonly access?: (call: Call) => unknown;
}

export const ANY_TYPE = '*/*';
const JSON_TYPE = 'application/json';

/** What Elysia's context offers to the checks. Elysia prepares only the parts of it that a hook takes by name. */
interface Asked {
  readonly request: Request;
  readonly params: Params;
  readonly route: string;
}

/** The schemas that a route declares beside its rules. */
interface Declared {
  readonly body?: TSchema;
  readonly query?: TSchema;
}

/**
 * Creates the app of one resource. Its macro `check` runs the API's order of checks before Elysia validates: method,
 * credentials, Content-Type, `_format`, access, body (spec: rest-behaviour, 1.1). The checks are the first parser of a
 * route that reads JSON, and the transform of any other route.
 *
 * Answers are documented in `detail` and are not validated: most bodies are stored text, and one status may have several
 * media types, which `response` cannot express. Normalisation is off, because it removes members before they are checked.
 */
export function resource(api: ApiServices) {
  return new Elysia({ normalize: false }).macro({
    check: (rules: Rules) => {
      let body: TSchema | undefined;
      const check = createCheck(api, rules);
      const { access } = rules;
      const checkAccess = async ({ request }: { request: Request }) => {
        await access?.(callOf(request));
      };
      const readBody = async ({ request }: { request: Request }): Promise<unknown> => {
        const call = callOf(request);
        return readLenient(body, await call.json(rules.maxBytes), call);
      };
      const checks: ((asked: Asked) => void)[] = access === undefined ? [check] : [check, checkAccess];
      return {
        // Without a seed Elysia writes the rules as JSON to tell macros apart.
        seed: 0,
        introspect(hook: Declared) {
          ({ body } = hook);
          Object.assign(hook, { rules });
          if (hook.query !== undefined) checks.push(usualQuery);
        },
        ...(rules.json ? { parse: [...checks, readBody] } : { transform: checks }),
        resolve: ({ request }: { request: Request }) => ({ call: callOf(request) }),
        afterHandle: ({ request, response }: { request: Request; response: unknown }) => {
          if (response instanceof Response) api.cors.share(request, response, callOf(request).isAnonymous);
        },
      };
    },
  });
}

/** Returns the rules of a route. Undefined for the routes that `serve` adds. */
export function rulesOf({ hooks }: AnyElysia['routes'][number]): Rules | undefined {
  return hooks.rules;
}

/** Returns the checks of a route up to its format. They remember the call with the request. */
function createCheck(api: ApiServices, rules: Rules): (asked: Asked) => Promise<void> {
  const { json, accepts = json ? JSON_TYPE : ANY_TYPE } = rules;
  const offers = new Map<string, Offer>();
  // A path without parameters has none in its context.
  return async ({ request, params = {}, route }) => {
    const method = request.method === 'HEAD' ? 'GET' : (request.method as RestMethod);
    if (!api.offers(method, route)) throw refuse(api, request, route);
    const offer = offers.get(method) ?? offerOf(api, rules, method);
    offers.set(method, offer);
    const { clientAddress: peer, path } = recordOf(request);
    const baseUrl = api.findBaseUrl(request, peer);
    let begun: BegunRead | undefined;
    let identity = api.nobody;
    const isAnonymous = !hasCredentials(request);
    if (!isAnonymous) {
      const identified = await identify(api, request, peer, baseUrl, () => {
        if (method === 'GET') begun ??= beginRead(api, params);
      });
      ({ identity } = identified);
      if (method === 'GET') recordOf(request).confirmed = identified.confirmed;
      else await identified.confirmed;
    }
    if (accepts !== ANY_TYPE) checkContentType(accepts, request);
    const { formats, needsCsrfToken, accepted } = offer;
    const chosen = formats === 'single' ? theOneFormat(request) : chooseFormat(request, formats, `${baseUrl}${path}`);
    const authentication = accepted[chosen.format === 'jsonld' ? 'jsonld' : 'json'];
    const facts = {
      request,
      params,
      route,
      rules,
      identity,
      isAnonymous,
      baseUrl,
      peer,
      authentication,
      needsCsrfToken,
      begun,
    };
    rememberCall(new Call(api, { ...facts, ...chosen }));
  };
}

const CONTENT_TYPES: readonly ContentType[] = ['node', 'media', 'taxonomy_term', 'paragraph'];

/** Begins to read the content that a path names, if it names any. */
function beginRead(api: ApiServices, params: Params): BegunRead | undefined {
  const type = CONTENT_TYPES.find((each) => params[each] !== undefined);
  const id = type === undefined ? undefined : parseId(params[type]);
  return type === undefined || id === undefined ? undefined : api.content.begin(type, id);
}

/** What follows from the configuration for a method of a route. */
interface Offer {
  readonly formats: Formats | 'single';
  readonly needsCsrfToken: boolean;
  /** The authentication types for graphs, and for any other format. Any type if undefined. */
  readonly accepted: Readonly<Record<'jsonld' | 'json', readonly AuthenticationType[] | undefined>>;
}

/** Returns what the configuration leaves of a route. Undefined members of `rest` are not offered. */
export function offerOf(api: ApiServices, rules: Rules, method: RestMethod): Offer {
  const { resource, authentication, formats = JSON_FORMATS } = rules;
  const needsCsrfToken = rules.needsCsrfToken ?? (method !== 'GET' && method !== 'PUT');
  if (resource === undefined)
    return { formats, needsCsrfToken, accepted: { jsonld: authentication, json: authentication } };
  const types = api.services.model.rest.get(resource)?.[method];
  // Pages and linksets are for every caller who may have the JSON.
  const typesOf = (format: Format) => types?.[format === 'jsonld' ? 'jsonld' : 'json'];
  const offered = Object.entries(formats === 'single' ? {} : formats).filter(([name]) => typesOf(name as Format));
  return {
    formats: formats === 'single' ? formats : Object.fromEntries(offered),
    needsCsrfToken,
    accepted: { jsonld: typesOf('jsonld') ?? [], json: typesOf('json') ?? [] },
  };
}

/** Returns whether the configuration offers a method of a route. */
export function isOffered({ services }: ApiServices, { resource }: Rules, method: RestMethod): boolean {
  return resource === undefined || services.model.rest.get(resource)?.[method] !== undefined;
}

function checkContentType(accepted: string, request: Request): void {
  const contentType = request.headers.get('content-type');
  if (contentType === null || contentType.trim() === '')
    throw new ServiceError('unsupported-media-type', 'No "Content-Type" request header specified');
  if (parseMediaType(contentType) !== accepted)
    throw new ServiceError(
      'unsupported-media-type',
      `No route found that matches "Content-Type: ${contentType.slice(0, 100)}"`,
    );
}

/** Reads the query as the API does, in place of Elysia: the first value of each name counts, and an empty one is missing. */
function usualQuery({ request }: { request: Request }): { query: Record<string, string | undefined> } {
  const query: Record<string, string | undefined> = Object.create(null);
  for (const [name, value] of parametersOf(request.url)) if (!(name in query)) query[name] = value || undefined;
  return { query };
}
