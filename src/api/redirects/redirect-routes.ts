import { Type as t } from '@sinclair/typebox';
import { dateItem } from '../../field-types/moment.tsx';
import { etagOf } from '../../http/etag.ts';
import { pathOf, paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import { wouldLoop } from '../../repository/addresses/find-redirect.ts';
import { isWebAddress } from '../../repository/addresses/redirect-target.ts';
import { aliasTarget } from '../../repository/addresses/save-alias.ts';
import {
  createRedirect,
  findRedirectById,
  type Redirect,
  removeRedirect,
} from '../../repository/addresses/save-redirect.ts';
import { reference } from '../../repository/content/common-base-fields.ts';
import { findAliased } from '../../repository/content/read/find-alias.ts';
import { validationFailed } from '../../repository/errors.ts';
import { NO_QUERY } from '../../repository/redirect-source.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import {
  created,
  DELETED,
  describe,
  JSON_TYPE,
  READ_CONDITIONS,
  versioned,
  WRITE_CONDITIONS,
} from '../../web/openapi/describe.ts';
import { id } from '../../web/parameters.ts';
import { empty, json, plainRepresentation, requireCurrent } from '../../web/respond.ts';
import { newRedirect, redirectSchema, type SentRedirect } from './parse-redirect.ts';

const check = { resource: 'entity.redirect' };
const params = t.Object({ redirect: id('The id of the redirect.') });

/** Routes of redirects as entities. `serve.ts` answers at their sources (spec: loader-api, 2 "create_redirects"). */
export const redirectRoutes = (api: ApiServices) =>
  resource(api)
    .post(paths.redirects, async ({ call, body }) => create(call, body), {
      check: { ...check, json: true, access: allow },
      body: newRedirect,
      detail: describe({
        operationId: 'createRedirect',
        tag: 'addresses',
        summary: 'Create a redirect from an old address to a new one',
        description:
          'GET and HEAD of the source then return the status code and Location. Addresses of the API cannot be a source. A source that is the alias of content requires the right to update it, and a target on another site the permission `redirect to other sites`.',
        isForAnyone: false,
        responses: created('The redirect.', redirectSchema),
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
          responses: versioned('The redirect.', { [JSON_TYPE]: redirectSchema }),
          failures: [403, 404, 412],
        }),
      },
    )
    .delete(
      paths.redirect,
      async ({ call }) => {
        const redirect = await findAllowed(call);
        // A redirect never changes, so that its JSON identifies the version.
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
          responses: DELETED,
          failures: [403, 404, 412],
        }),
      },
    );

function allow(call: Call): void {
  call.allow(permissionAccess(call.actor, 'administer redirects'));
}

async function create(call: Call, redirect: SentRedirect): Promise<Response> {
  const { services, siteUrl } = call.api;
  const { target } = redirect;
  if (await wouldLoop(services.database, redirect.source, redirect.target, call.baseUrl))
    throw validationFailed([
      { path: 'redirect_redirect.0.uri', message: 'This redirect would lead back to its source.' },
    ]);
  if (isWebAddress(target) && !isWithin(siteUrl, target))
    call.allow(permissionAccess(call.actor, 'redirect to other sites'));
  const replacedPath = await replaceableContent(call, redirect);
  const made = await createRedirect(services, call.actor, { ...redirect, replacedPath });
  return json(redirectJson(made), 201, {
    Location: `${call.baseUrl}${pathOf('redirect', { redirect: made.id })}`,
  });
}

/** Returns true for an address of the site itself. Only the configuration knows the site: a request may name any host. */
const isWithin = (siteUrl: string | undefined, target: string) =>
  siteUrl !== undefined && new URL(target).href.startsWith(`${siteUrl}/`);

/** Returns the canonical path of the content whose alias is the source; null for none. Throws if the caller may not update it. */
async function replaceableContent(call: Call, { source }: SentRedirect): Promise<string | null> {
  const { api, actor } = call;
  const { database } = api.services;
  const path = (await findAliased(database, source.asSent)) ?? (await findAliased(database, `/${source.path}`));
  const target = path === undefined ? undefined : aliasTarget(path);
  const content = target && (await api.findContent(target.type, target.id));
  if (content !== undefined) call.allow(content.kind.access.update(actor, content.head));
  return path ?? null;
}

async function findAllowed(call: Call): Promise<Redirect> {
  const redirect = await findRedirectById(call.api.services, call.id('redirect'));
  if (redirect === undefined) throw call.notFound('redirect');
  allow(call);
  return redirect;
}

/** Returns a redirect as JSON. */
function redirectJson({ source, ownerId, ownerUuid, ...redirect }: Redirect): string {
  const query = source.query === NO_QUERY ? null : JSON.parse(source.query);
  return JSON.stringify({
    rid: [{ value: redirect.id }],
    uuid: [{ value: redirect.uuid }],
    type: [{ value: 'redirect' }],
    // The owner may have been deleted.
    uid: ownerUuid === null ? [] : reference('user', ownerId, ownerUuid),
    redirect_source: [{ path: source.path, query }],
    redirect_redirect: [{ uri: redirect.target, title: redirect.title, options: [] }],
    language: [{ value: redirect.langcode }],
    status_code: [{ value: redirect.statusCode }],
    created: [dateItem(redirect.created)],
  });
}
