import { type AnyElysia, Elysia } from 'elysia';
import { BunAdapter } from 'elysia/adapter/bun';
import { keepRecord, recordOf } from '../http/request-log.ts';
import { REST_METHODS } from '../model/rest.ts';
import { paths } from '../paths.ts';
import { findRedirect, locationOf, type RedirectMatch } from '../repository/addresses/find-redirect.ts';
import { pathOfTarget } from '../repository/addresses/redirect-target.ts';
import { findAliased } from '../repository/content/read/find-alias.ts';
import { STATUS_GONE } from '../repository/redirect-source.ts';
import type { ApiServices } from './api-services.ts';
import { isOffered, rulesOf } from './check.ts';
import { parametersOf } from './formats.ts';
import { hasCredentials } from './identify.ts';
import { HIDDEN } from './openapi/describe.ts';
import { allowedAt, refuse } from './refuse.ts';
import { empty } from './respond.ts';

/** Creates the app that serves. As a web standard app, Elysia would answer HEAD by reading the whole body of GET to count its bytes. */
export function createApp() {
  return new Elysia({ normalize: false, adapter: { ...BunAdapter, isWebStandard: false } });
}

/**
 * Completes the routes of an app: HEAD answers as GET does, OPTIONS lists the methods, and other methods return 405. A
 * slash at the end of a path is ignored, as on the original server. A path without a route may be an alias or the source
 * of a redirect.
 */
export function serve(api: ApiServices, app: AnyElysia): void {
  const { offered } = api;
  const overridable = new Set<string>();
  const ofOptions = new Map<string, Readonly<Record<string, string>>>();
  for (const route of app.routes) {
    const rules = rulesOf(route);
    const method = REST_METHODS.find((known) => known === route.method);
    if (rules === undefined || method === undefined || !isOffered(api, rules, method)) continue;
    offered.set(route.path, [...(offered.get(route.path) ?? []), method]);
    if (method === 'GET') answerHead(app, route.path);
    if (rules.isOverridable) overridable.add(route.path);
    if (rules.options !== undefined) ofOptions.set(route.path, rules.options(api));
  }
  for (const path of offered.keys()) {
    app.options(path, ({ request }) => describe(api, request, path, ofOptions.get(path)), UNLISTED);
    app.all(
      path,
      async ({ request }) => {
        const meant = overridable.has(path) ? withMeantMethod(request) : undefined;
        if (meant !== undefined) return answerMeant(app, meant);
        throw refuse(api, request, path);
      },
      UNLISTED,
    );
  }
  app.all('/*', ({ request }) => answerElsewhere(api, app, request), UNLISTED);
}

const UNLISTED = { detail: HIDDEN };

/** Routes HEAD to the handler of GET. */
function answerHead({ router }: AnyElysia, path: string): void {
  const ofPath = router.static[path];
  if (ofPath?.GET !== undefined) ofPath.HEAD = ofPath.GET;
  for (const each of [path, `${path}/`]) {
    const route = router.http.find('GET', each);
    if (route) router.http.add('HEAD', each, route.store);
  }
}

function describe(
  api: ApiServices,
  request: Request,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const methods = allowedAt(api, path)?.replace(', HEAD', '') ?? '';
  return api.cors.preflight(request, methods) ?? empty(200, { Allow: methods, ...headers });
}

/** The paths of content that can have an alias. */
const ALIASED = [paths.node, paths.media, paths.term];

/** Answers a path without a route with its redirect, or with the entity that has this alias. Throws 404 for other paths. */
async function answerElsewhere(api: ApiServices, app: AnyElysia, request: Request): Promise<Response> {
  const { path } = recordOf(request);
  const parameters = parametersOf(request.url);
  const [redirect, canonical] = await Promise.all([
    isRead(request) ? findRedirect(api.services.database, path, parameters) : undefined,
    findAliased(api.services.database, path),
  ]);
  // Content keeps its address, unless the creator of the redirect could change the content.
  if (redirect !== undefined && (canonical === undefined || canonical === redirect.replacedPath))
    return redirect.statusCode === STATUS_GONE
      ? app.handle(withPath(request, pathOfTarget(redirect.target)))
      : api.cors.share(request, redirectTo(api, request, redirect, parameters), !hasCredentials(request));
  const pattern = ALIASED.find((each) => canonical?.startsWith(each.slice(0, each.indexOf(':'))));
  if (canonical === undefined || pattern === undefined || !api.offered.has(pattern)) throw refuse(api, request, path);
  return app.handle(withPath(request, canonical));
}

/** Returns a request for another path, with the record of the first one: errors show the requested address. */
function withPath(request: Request, path: string): Request {
  const { url } = request;
  const [start, query] = [url.indexOf('/', url.indexOf('://') + '://'.length), url.indexOf('?')];
  const moved = new Request(`${url.slice(0, start)}${path}${query < 0 ? '' : url.slice(query)}`, request);
  return keepRecord(moved, recordOf(request));
}

/** Returns a POST as a request with the method in its `X-HTTP-Method-Override`. Undefined for any other request. */
function withMeantMethod(request: Request): Request | undefined {
  const { headers, signal, url } = request;
  const method = headers.get('x-http-method-override')?.trim().toUpperCase();
  const known = [...REST_METHODS, 'HEAD'].find((each) => each === method);
  if (request.method !== 'POST' || known === undefined || known === 'POST') return undefined;
  const body = known === 'PATCH' || known === 'PUT' ? request.body : null;
  return keepRecord(new Request(url, { method: known, headers, signal, body }), recordOf(request));
}

/** Answers the request that a POST means. The server keeps the body of its answer, which a HEAD has none of. */
async function answerMeant(app: AnyElysia, meant: Request): Promise<Response> {
  const response = await app.handle(meant);
  return meant.method === 'HEAD' ? new Response(null, response) : response;
}

const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD';

function redirectTo(
  api: ApiServices,
  request: Request,
  redirect: RedirectMatch,
  parameters: URLSearchParams,
): Response {
  const { clientAddress } = recordOf(request);
  return empty(redirect.statusCode, {
    Location: locationOf(redirect, parameters, api.findBaseUrl(request, clientAddress)),
    // Otherwise browsers cache a permanent redirect indefinitely.
    'Cache-Control': 'must-revalidate, no-cache, private',
  });
}
