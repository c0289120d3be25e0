import { type AnyElysia, type DocumentDecoration, Elysia, type TSchema } from 'elysia';
import { FORM_TYPE, isForm } from '../http/form-body.ts';
import { MULTIPART_TYPE } from '../http/read-multipart.ts';
import { recordOf } from '../http/request-log.ts';
import type { AuthenticationType, RestMethod } from '../model/rest.ts';
import type { ContentType } from '../repository/access-rule.ts';
import type { BegunRead } from '../repository/content/read/read-content.ts';
import type { ApiServices } from './api-services.ts';
import { Call, type CallFacts, callOf, type Params, parseId, rememberCall } from './call.ts';
import { checkContentType } from './check-content-type.ts';
import { type FormKind, keepingTyped, readForm } from './form-body.ts';
import {
  chooseFormat,
  type Format,
  type Formats,
  JSON_FORMATS,
  PAGE_FORMATS,
  requireKnownFormat,
  usualQuery,
} from './formats.ts';
import { hasCredentials, identify } from './identify.ts';
import { readLenient } from './lenient-body.ts';
import { HIDDEN } from './openapi/describe.ts';
import { isId } from './parameters.ts';
import { refuse, refuseOtherSites } from './refuse.ts';

/** The rules of one route, beyond the schemas that Elysia validates. */
export interface Rules {
  /** The name for which the configuration sets methods, formats and authentication types (`rest` of the model). */
  readonly resource?: string;
  /** The authentication types of a route without `resource` (default: all). */
  readonly authentication?: readonly AuthenticationType[];
  /** True if the route reads a JSON body, which its schema `body` validates. */
  readonly json?: boolean;
  /**
   * The route reads the form of a page, whose fields its schema `body` names. `signed`: of a signed-in caller, with the form token.
   * `large`: the same with long texts or many rows. `open`: of a caller without a session. A route that also reads JSON chooses by the Content-Type. `files`: a form with
   * files, signed, whose parts the handler reads with `formParts`; the route has `parse: 'none'`.
   */
  readonly form?: FormKind | 'files';
  /** The only media type that a request may send (default: JSON for `json`, otherwise any). */
  readonly accepts?: string;
  /** Maximum size of a JSON body in bytes (default: the server's limit). That of a form follows from its kind. */
  readonly maxBytes?: number;
  /** False if a session cookie requires no CSRF token for a write. A PUT never requires one: no form of another site sends it. */
  readonly needsCsrfToken?: boolean;
  /** True for a POST that changes nothing, which pages of other sites may send. */
  readonly isReading?: boolean;
  /** The representations (default: JSON). `single`: an address of bytes or keys, which accepts any known `_format`. */
  readonly formats?: Formats | 'single';
  /** True if a POST may name another method of the address in `X-HTTP-Method-Override`. */
  readonly isOverridable?: boolean;
  /** Returns headers of the answer to OPTIONS in addition to `Allow`, such as those of a protocol. */
  readonly options?: (api: ApiServices) => Readonly<Record<string, string>>;
  /** Checks access before a JSON body is read and before the query is validated. Other routes may check it in their handler. */
  readonly access?: (call: Call) => unknown;
}

export const ANY_TYPE = '*/*';
const JSON_TYPE = 'application/json';
const TYPES_OF_FORMS = { signed: FORM_TYPE, large: FORM_TYPE, open: FORM_TYPE, files: MULTIPART_TYPE } as const;

/** The part of Elysia's context that the checks use. Elysia prepares only the members that a hook destructures. */
interface RouteRequest {
  readonly request: Request;
  readonly params: Params;
  readonly route: string;
}

/** The schemas that a route declares beside its rules. */
interface Declared {
  readonly body?: TSchema;
  readonly query?: TSchema;
  readonly params?: TSchema;
  readonly detail?: DocumentDecoration;
}

/**
 * Creates the app of one resource. Its macro `check` runs the API's order of checks before Elysia validates: method,
 * credentials, Content-Type, `_format`, ids, access, body (spec: rest-behaviour, 1.1). The checks are the first parser of a
 * route that reads JSON, and the transform of any other route.
 *
 * Answers are documented in `detail` and are not validated: most bodies are stored text, and one status may have several
 * media types, which `response` cannot express. Normalisation is off, because it removes members before they are checked.
 *
 * Handlers of the most frequent reads await the promise that they return: without it, each answer waits for two more turns
 * of the microtask queue, which is some percent of the time of a cached file.
 */
export function resource(api: ApiServices) {
  return new Elysia({ normalize: false }).macro({
    check: (rules: Rules) => {
      let body: TSchema | undefined;
      let ids: string[] = [];
      const check = createCheck(api, rules, () => ids);
      const { access, form } = rules;
      const checkAccess = async ({ request }: { request: Request }) => {
        const call = callOf(request);
        await (form === 'signed' || form === 'large' ? keepingTyped(call, async () => access?.(call)) : access?.(call));
      };
      const readBody = async ({ request }: { request: Request }): Promise<unknown> => {
        const call = callOf(request);
        if (form !== undefined && form !== 'files' && (isForm(request) || !rules.json))
          return readForm(body, call, form);
        return readLenient(body, await call.json(rules.maxBytes), call);
      };
      const checks: ((asked: RouteRequest) => void)[] = access === undefined ? [check] : [check, checkAccess];
      return {
        // Without a seed Elysia writes the rules as JSON to tell macros apart.
        seed: 0,
        introspect(hook: Declared) {
          ({ body } = hook);
          if (hook.detail === undefined && !isPage(rules)) throw new Error('a route of programs has no description');
          Object.assign(hook, { rules, detail: hook.detail ?? HIDDEN });
          ids = Object.entries(hook.params?.properties ?? {}).flatMap(([name, each]) =>
            isId(each as TSchema) ? [name] : [],
          );
          if (hook.query !== undefined) checks.push(usualQuery);
        },
        ...(rules.json || (form && form !== 'files') ? { parse: [...checks, readBody] } : { transform: checks }),
        resolve: ({ request }: { request: Request }) => ({ call: callOf(request) }),
        afterHandle: ({ request, response }: { request: Request; response: unknown }) => {
          if (response instanceof Response) api.cors.share(request, response, callOf(request).isAnonymous);
        },
      };
    },
  });
}

/** Returns true for a route of people alone, which the document leaves out: a page, or the form of one. */
function isPage({ form, json, formats }: Rules): boolean {
  return formats === PAGE_FORMATS || (form !== undefined && !json);
}

/** Returns the rules of a route. Undefined for the routes that `serve` adds. */
export function rulesOf({ hooks }: AnyElysia['routes'][number]): Rules | undefined {
  return hooks.rules;
}

/** Returns the checks of a route up to its format and the ids in its path. They store the call in the request. */
function createCheck(
  api: ApiServices,
  rules: Rules,
  idNames: () => readonly string[],
): (asked: RouteRequest) => Promise<void> {
  const { json, form, accepts = json ? JSON_TYPE : ((form && TYPES_OF_FORMS[form]) ?? ANY_TYPE) } = rules;
  const offers = new Map<string, Offer>();
  // Elysia has no `params` for a path without parameters.
  return async ({ request, params = {}, route }) => {
    const method = request.method === 'HEAD' ? 'GET' : (request.method as RestMethod);
    if (!api.offers(method, route)) throw refuse(api, request, route);
    if (method !== 'GET' && !rules.isReading) refuseOtherSites(api, request);
    const offer = offers.get(method) ?? offerOf(api, rules, method);
    offers.set(method, offer);
    const { clientAddress: peer, path } = recordOf(request);
    const baseUrl = api.findBaseUrl(request, peer);
    const ids = Object.fromEntries(idNames().map((name) => [name, parseId(params[name])]));
    let begun: BegunRead | undefined;
    const networks = api.networksOf(request, peer);
    let identity = api.anonymousIn(networks);
    const refreshing = refreshed(api.refreshSite(), api.services.access.refresh());
    // In the same round trip to a database server.
    if (refreshing !== undefined && method === 'GET') begun = beginRead(api, ids);
    const isAnonymous = !hasCredentials(request);
    if (!isAnonymous) {
      const identified = await identify(api, { request, peer, baseUrl, networks }, () => {
        if (method === 'GET') begun ??= beginRead(api, ids);
      });
      ({ identity } = identified);
      if (method === 'GET') recordOf(request).confirmed = identified.confirmed;
      else await identified.confirmed;
    }
    if (refreshing !== undefined) await refreshing;
    if (accepts !== ANY_TYPE) checkContentType(accepts, request);
    const { formats, needsCsrfToken, accepted } = offer;
    const { format, isNegotiated } =
      formats === 'single' ? requireKnownFormat(request) : chooseFormat(request, formats, `${baseUrl}${path}`);
    const authentication = accepted[typesFor(format)];
    const call = new Call(api, {
      request,
      params,
      ids,
      route,
      identity,
      isAnonymous,
      baseUrl,
      peer,
      format,
      isNegotiated,
      authentication,
      needsCsrfToken,
      begun,
    });
    rememberCall(call);
    for (const name of idNames()) call.id(name);
  };
}

/** Returns when both have ended. Undefined if there is nothing to read again. */
function refreshed(site: Promise<void> | undefined, access: Promise<void> | undefined): Promise<unknown> | undefined {
  const both = site === undefined ? access : Promise.all([site, access]);
  // A refused request never awaits it.
  both?.catch(() => {});
  return both;
}

const CONTENT_TYPES: readonly ContentType[] = ['node', 'media', 'taxonomy_term', 'paragraph'];

/** Begins to read the content that a path names. Undefined if it names none. */
function beginRead(api: ApiServices, ids: CallFacts['ids']): BegunRead | undefined {
  const type = CONTENT_TYPES.find((each) => ids[each] !== undefined);
  const id = type && ids[type];
  return type === undefined || id === undefined ? undefined : api.content.begin(type, id);
}

/** The configuration of a method of a route. */
interface Offer {
  readonly formats: Formats | 'single';
  readonly needsCsrfToken: boolean;
  /** The authentication types for JSON-LD, for pages, and for any other format. Undefined for any type. */
  readonly accepted: Readonly<Record<'jsonld' | 'html' | 'json', readonly AuthenticationType[] | undefined>>;
}

/** Returns the formats and authentication types that the configuration enables for a method of a route. */
export function offerOf(api: ApiServices, rules: Rules, method: RestMethod): Offer {
  const { resource, form, authentication, formats = JSON_FORMATS } = rules;
  // A form has the token in a field, which is checked when it is read.
  const needsCsrfToken = rules.needsCsrfToken ?? (form === undefined && method !== 'GET' && method !== 'PUT');
  if (resource === undefined)
    return {
      formats,
      needsCsrfToken,
      accepted: { jsonld: authentication, html: authentication, json: authentication },
    };
  const types = api.services.model.rest.get(resource)?.[method];
  // Linksets have the authentication types of JSON, and so have pages, which browsers also open with a session.
  const typesOf = (format: Format) => types?.[format === 'jsonld' ? 'jsonld' : 'json'];
  const offered = Object.entries(formats === 'single' ? {} : formats).filter(([name]) => typesOf(name as Format));
  return {
    formats: formats === 'single' ? formats : Object.fromEntries(offered),
    needsCsrfToken,
    accepted: {
      jsonld: typesOf('jsonld') ?? [],
      html: [...(typesOf('json') ?? []), 'cookie'],
      json: typesOf('json') ?? [],
    },
  };
}

function typesFor(format: Format): keyof Offer['accepted'] {
  if (format === 'jsonld') return 'jsonld';
  return format === 'html' ? 'html' : 'json';
}

/** Returns true if the configuration enables a method of a route. */
export function isOffered({ services }: ApiServices, { resource }: Rules, method: RestMethod): boolean {
  return resource === undefined || services.model.rest.get(resource)?.[method] !== undefined;
}
