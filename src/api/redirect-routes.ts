import { etagOf } from '../http/etag.ts';
import { paths } from '../paths.ts';
import { permissionAccess } from '../repository/access.ts';
import { validationFailed } from '../repository/errors.ts';
import { leadsBack } from '../repository/redirects/redirect-loop.ts';
import {
  createRedirect,
  findRedirectById,
  type Redirect,
  removeRedirect,
} from '../repository/redirects/save-redirect.ts';
import { parseRedirect } from '../representation/parse-redirect.ts';
import { redirectJson } from '../representation/redirect-json.ts';
import { type Call, parseId } from './call.ts';
import * as described from './openapi/describe-aliases.ts';
import { empty, json, plainRepresentation, requireCurrent } from './respond.ts';
import type { Route } from './routes.ts';

const resource = 'entity.redirect';
const PERMISSION = 'administer redirects';

/** Redirects are made here; where they begin they are answered by `routes.ts` (spec: loader-api, 2 "create_redirects"). */
export const redirectRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: paths.redirects,
    resource,
    accepts: ['application/json'],
    description: described.createRedirect,
    answer: create,
  },
  { method: 'GET', path: paths.redirect, resource, description: described.readRedirect, answer: show },
  { method: 'DELETE', path: paths.redirect, resource, description: described.removeRedirect, answer: remove },
];

async function create(call: Call): Promise<Response> {
  const { services } = call.api;
  call.allow(permissionAccess(call.actor, PERMISSION));
  const redirect = parseRedirect(await call.json(), services.fields, services.model.defaultLanguage);
  if (await leadsBack(services.database, redirect.source, redirect.target, call.baseUrl))
    throw validationFailed([
      { path: 'redirect_redirect.0.uri', message: 'This redirect would lead back to where it begins.' },
    ]);
  const made = await createRedirect(services, call.actor, redirect);
  return json(redirectJson(made), 201, {
    Location: `${call.baseUrl}${paths.redirect.replace(':redirect', String(made.id))}`,
  });
}

async function show(call: Call): Promise<Response> {
  const redirect = await findOr404(call);
  call.allow(permissionAccess(call.actor, PERMISSION));
  return plainRepresentation(call, redirectJson(redirect), undefined);
}

async function remove(call: Call): Promise<Response> {
  const redirect = await findOr404(call);
  call.allow(permissionAccess(call.actor, PERMISSION));
  // A redirect never changes: whoever names another version means another one.
  requireCurrent(call, () => etagOf(redirectJson(redirect)), undefined);
  await removeRedirect(call.api.services, redirect.id);
  return empty(204);
}

async function findOr404(call: Call): Promise<Redirect> {
  const id = parseId(call.params.redirect);
  const redirect = id === undefined ? undefined : await findRedirectById(call.api.services, id);
  if (redirect === undefined)
    throw call.notFound('redirect', paths.redirect, `rest.entity.redirect.${call.request.method}`);
  return redirect;
}
