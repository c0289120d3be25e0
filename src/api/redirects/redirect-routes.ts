import { Type as t } from '@sinclair/typebox';
import { etagOf } from '../../http/etag.ts';
import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import { wouldLoop } from '../../repository/addresses/find-redirect.ts';
import {
  createRedirect,
  findRedirectById,
  type NewRedirect,
  type Redirect,
  removeRedirect,
} from '../../repository/addresses/save-redirect.ts';
import { validationFailed } from '../../repository/errors.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { lenientBody } from '../lenient-body.ts';
import { createdOf, jsonOf, nothing, READ_CONDITIONS, versioned, WRITE_CONDITIONS } from '../openapi/answers.ts';
import { describe } from '../openapi/describe.ts';
import { id } from '../parameters.ts';
import { empty, json, plainRepresentation, requireCurrent } from '../respond.ts';
import { parseRedirect } from './parse-redirect.ts';
import { redirectJson } from './redirect-json.ts';

const check = { resource: 'entity.redirect', name: 'rest.entity.redirect' };
const params = t.Object({ redirect: id('The id of the redirect.') });

const newRedirect = lenientBody('RedirectCreate', (body, { api: { services } }) =>
  parseRedirect(body, services.fields, services.model.defaultLanguage),
);

/** Redirects as entities. `serve.ts` answers their sources (spec: loader-api, 2 "create_redirects"). */
export const redirectRoutes = (api: ApiServices) =>
  resource(api)
    .post(paths.redirects, async ({ call, body }) => create(call, body), {
      check: { ...check, json: true, access: allow },
      body: newRedirect,
      detail: describe({
        operationId: 'createRedirect',
        tag: 'addresses',
        summary: 'Let an old address lead to a new one',
        description:
          'GET and HEAD of the source are then answered with the status code and Location. No address of the API can be a source.',
        isForAnyone: false,
        responses: createdOf('The redirect.', 'Redirect'),
        failures: [403, 413, 422, 507],
      }),
    })
    .get(
      paths.redirect,
      async ({ call }) => plainRepresentation(call, redirectJson(await findAllowed(call)), undefined),
      {
        check,
        params,
        detail: describe({
          operationId: 'getRedirect',
          tag: 'addresses',
          summary: 'Read a redirect',
          isForAnyone: false,
          headers: READ_CONDITIONS,
          responses: versioned('The redirect.', jsonOf('Redirect')),
          failures: [403, 404, 412],
        }),
      },
    )
    .delete(
      paths.redirect,
      async ({ call }) => {
        const redirect = await findAllowed(call);
        // A redirect never changes: another version is another redirect.
        requireCurrent(call, () => etagOf(redirectJson(redirect)), undefined);
        await removeRedirect(api.services, redirect.id);
        return empty(204);
      },
      {
        check,
        params,
        detail: describe({
          operationId: 'deleteRedirect',
          tag: 'addresses',
          summary: 'Delete a redirect',
          headers: WRITE_CONDITIONS,
          responses: { 204: nothing('It is gone.') },
          failures: [403, 404, 412],
        }),
      },
    );

function allow(call: Call): void {
  call.allow(permissionAccess(call.actor, 'administer redirects'));
}

async function create(call: Call, redirect: NewRedirect): Promise<Response> {
  const { services } = call.api;
  if (await wouldLoop(services.database, redirect.source, redirect.target, call.baseUrl))
    throw validationFailed([
      { path: 'redirect_redirect.0.uri', message: 'This redirect would lead back to where it begins.' },
    ]);
  const made = await createRedirect(services, call.actor, redirect);
  return json(redirectJson(made), 201, {
    Location: `${call.baseUrl}${paths.redirect.replace(':redirect', String(made.id))}`,
  });
}

async function findAllowed(call: Call): Promise<Redirect> {
  const redirect = await findRedirectById(call.api.services, Number(call.params.redirect));
  if (redirect === undefined) throw call.notFound('redirect');
  allow(call);
  return redirect;
}
