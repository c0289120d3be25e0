import { Elysia } from 'elysia';
import { ServiceError } from '../base/errors.ts';
import { parseMediaType } from '../base/media-type.ts';
import { recordOf } from '../http/request-log.ts';
import type { AuthenticationType, RestMethod } from '../model/content-model.ts';
import { answerRedirect } from './answer-redirect.ts';
import type { ApiServices } from './api-services.ts';
import { type Ahead, Call } from './call.ts';
import { createFindRoute } from './find-aliased-route.ts';
import { chooseFormat, type Format, type Formats, JSON_FORMATS, theOneFormat } from './formats.ts';
import { hasCredentials, type Identity, identify } from './identify.ts';
import { empty } from './respond.ts';
import type { RouteDescription } from './route-description.ts';

/** One method of one path. */
export interface Route {
  readonly method: RestMethod;
  readonly path: string;
  /** Whether there can be anything that it answers about; left out: always. */
  readonly isNeeded?: (api: ApiServices) => boolean;
  /** The name that the configuration gives authentication types for (`rest` of the model). */
  readonly resource?: string;
  /** Of a route that is no resource: how a caller may prove who they are. Any way if left out. */
  readonly authentication?: readonly AuthenticationType[];
  /** What a write may send, without parameters; any type if left out. */
  readonly accepts?: readonly string[];
  /** Whether a session cookie calls for a CSRF token: every write but PUT, which no form of another site can send. */
  readonly needsCsrfToken?: boolean;
  /** Its representations; JSON alone if left out. Of a resource, those of them that its configuration names. */
  readonly formats?: Formats;
  /** True if `_format` selects the representation. Addresses of bytes and keys accept any known format. */
  readonly hasFormats?: boolean;
  /** Reads what its answer begins with, before it is known who calls. Of a GET alone. */
  readonly ahead?: (api: ApiServices, params: Readonly<Record<string, string>>) => Promise<Ahead>;
  /** What the description of the API says of it. */
  readonly description: RouteDescription;
  readonly answer: (call: Call) => Promise<Response>;
}

/** A route with what follows from the configuration for each of its requests. */
export interface OfferedRoute extends Route {
  readonly formats: Formats;
  readonly needsCsrfToken: boolean;
  /** How a caller may prove who they are: for graphs, and for anything else. Any way if undefined. */
  readonly accepted: Readonly<Record<'jsonld' | 'json', readonly AuthenticationType[] | undefined>>;
}

/**
 * The routes as an Elysia app. Each request is checked in the API's order before its handler runs: method,
 * credentials, Content-Type, `_format` (spec: rest-behaviour, 1.1). HEAD answers as GET does; OPTIONS and
 * every other method say what is allowed. A slash at its end changes nothing, as on the original server. An address that is
 * none of the routes' may lead to another, or be the alias of one.
 */
export function createRoutes(api: ApiServices, routes: readonly Route[]) {
  const app = new Elysia();
  const offered = routes.filter((route) => isOffered(api, route)).map((route) => offer(api, route));
  const methodsOf = Map.groupBy(offered, (route) => route.path);
  for (const { method, path } of offered) api.offered.add(`${method} ${path}`);
  const findAliased = createFindRoute(api.services, methodsOf);
  for (const [path, ofPath] of methodsOf) {
    const allow = allowed(ofPath);
    let read: Handler | undefined;
    for (const route of ofPath) {
      const handler: Handler = ({ request, params }) => answer(api, route, request, params);
      if (route.method === 'GET') read = handler;
      app.route(route.method === 'GET' ? 'HEAD' : route.method, path, handler as never, NO_PARSING);
    }
    app.options(path, ({ request }) => describe(api, request, allow));
    // GET is answered here as well: for a HEAD of a path with parameters Elysia would run a GET route, read its
    // whole body, and count the bytes. `async`, or Elysia would not wait for a failure. What a handler takes from
    // its context by name is all that Elysia prepares: query, cookies and headers as objects would be for nothing.
    const rest: Handler = async ({ request, params }) =>
      read && request.method === 'GET' ? read({ request, params }) : refuseMethod(api, request, allow);
    app.all(path, rest as never, NO_PARSING);
  }
  return app.all(
    '/*',
    (async ({ request }: Context) => {
      const { clientAddress: peer, path } = recordOf(request);
      const findBaseUrl = () => api.findBaseUrl(request, peer);
      const [redirect, found] = await Promise.all([answerRedirect(api, request, findBaseUrl), findAliased(path)]);
      if (redirect !== undefined) return api.cors.share(request, redirect, !hasCredentials(request));
      if (found === undefined) return refusePath(api, request);
      const allow = allowed(found.routes);
      if (request.method === 'OPTIONS') return describe(api, request, allow);
      const method = request.method === 'HEAD' ? 'GET' : request.method;
      const route = found.routes.find((each) => each.method === method);
      return route ? answer(api, route, request, found.params) : refuseMethod(api, request, allow);
    }) as never,
    NO_PARSING,
  );
}

function allowed(routes: readonly Route[]): string {
  return routes.map(({ method }) => (method === 'GET' ? 'GET, HEAD' : method)).join(', ');
}

function describe(api: ApiServices, request: Request, allow: string): Response {
  const methods = allow.replace(', HEAD', '');
  return api.cors.preflight(request, methods) ?? empty(200, { Allow: methods });
}

function offer(api: ApiServices, route: Route): OfferedRoute {
  return {
    ...route,
    formats: formatsOf(api, route),
    needsCsrfToken: needsCsrfToken(route),
    accepted: { jsonld: acceptedBy(api, route, 'jsonld'), json: acceptedBy(api, route) },
  };
}

/** A method that the configuration does not name for a resource does not exist. */
export function isOffered(api: ApiServices, { resource, method, isNeeded }: Route): boolean {
  if (isNeeded?.(api) === false) return false;
  const { services } = api;
  return resource === undefined || services.model.rest.get(resource)?.[method] !== undefined;
}

/** The representations of a route: of a resource those that its configuration names. */
export function formatsOf(api: ApiServices, route: Route): Formats {
  const { resource, formats = JSON_FORMATS } = route;
  if (resource === undefined) return formats;
  const offered = Object.entries(formats).filter(([name]) => configuredTypes(api, route, name as Format) !== undefined);
  return Object.fromEntries(offered);
}

/** How a caller may prove who they are for a representation of a route; in any way if undefined. */
export function acceptedBy(
  api: ApiServices,
  route: Route,
  format: Format = 'json',
): readonly AuthenticationType[] | undefined {
  if (route.resource === undefined) return route.authentication;
  return configuredTypes(api, route, format) ?? [];
}

/** Pages and linksets are for whoever may have the JSON. */
function configuredTypes({ services }: ApiServices, { resource = '', method }: Route, format: Format) {
  return services.model.rest.get(resource)?.[method]?.[format === 'jsonld' ? 'jsonld' : 'json'];
}

/** Whether a session cookie calls for a CSRF token. */
export function needsCsrfToken(route: Route): boolean {
  return route.needsCsrfToken ?? (route.method !== 'GET' && route.method !== 'PUT');
}

const NO_PARSING = { parse: 'none' as const };

interface Context {
  request: Request;
  params: Record<string, string>;
}

type Handler = (context: Context) => Promise<Response>;

async function answer(
  api: ApiServices,
  route: OfferedRoute,
  request: Request,
  params: Record<string, string>,
): Promise<Response> {
  const { clientAddress: peer, path } = recordOf(request);
  const baseUrl = api.findBaseUrl(request, peer);
  const answerTo = async (identity: Identity, ahead?: Promise<Ahead>) => {
    checkContentType(route, request);
    const { format, isNegotiated } =
      route.hasFormats === false ? theOneFormat(request) : chooseFormat(request, route.formats, `${baseUrl}${path}`);
    const call = new Call(api, {
      request,
      params,
      identity,
      baseUrl,
      peer,
      format,
      isNegotiated,
      authentication: route.accepted[format === 'jsonld' ? 'jsonld' : 'json'],
      needsCsrfToken: route.needsCsrfToken,
      ahead,
    });
    return route.answer(call);
  };
  if (!hasCredentials(request)) return api.cors.share(request, await answerTo(api.nobody), true);
  const read = route.ahead;
  if (read === undefined || !api.services.database.isDistant)
    return api.cors.share(request, await answerTo(await identify(api, request, peer, baseUrl)), false);
  let ahead: Promise<Ahead> | undefined;
  let begun: Promise<Response> | undefined;
  const identity = await identify(api, request, peer, baseUrl, {
    ask: () => {
      ahead ??= unlessRefused(read(api, params));
    },
    begin: (known) => {
      begun = unlessRefused(answerTo(known, ahead));
    },
  });
  return api.cors.share(request, await (begun ?? answerTo(identity, ahead)), false);
}

/** What may fail before anyone waits for it: whoever is refused never will, and anyone else is told then. */
function unlessRefused<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

function checkContentType({ accepts }: Route, request: Request): void {
  if (accepts === undefined) return;
  const contentType = request.headers.get('content-type');
  if (contentType === null || contentType.trim() === '')
    throw new ServiceError('unsupported-media-type', 'No "Content-Type" request header specified');
  const mediaType = parseMediaType(contentType);
  if (mediaType === undefined || !accepts.includes(mediaType))
    throw new ServiceError(
      'unsupported-media-type',
      `No route found that matches "Content-Type: ${contentType.slice(0, 100)}"`,
    );
}

function refuseMethod(api: ApiServices, request: Request, allow: string): never {
  throw new ServiceError(
    'method-not-allowed',
    `No route found for "${request.method} ${addressOf(api, request)}": Method Not Allowed (Allow: ${allow})`,
    { headers: { Allow: allow } },
  );
}

function refusePath(api: ApiServices, request: Request): never {
  const referer = request.headers.get('referer');
  const from = referer ? ` (from "${referer.slice(0, MAX_SHOWN_CHARS)}")` : '';
  throw new ServiceError('not-found', `No route found for "${request.method} ${addressOf(api, request)}"${from}`);
}

const MAX_SHOWN_CHARS = 200;

/** The address of a request as its sender knows it, without query. */
function addressOf(api: ApiServices, request: Request): string {
  const { clientAddress, path } = recordOf(request);
  return `${api.findBaseUrl(request, clientAddress)}${path.slice(0, MAX_SHOWN_CHARS)}`;
}
