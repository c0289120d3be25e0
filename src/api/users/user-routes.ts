import { type TProperties, type TSchema, Type as t } from '@sinclair/typebox';
import { closed } from '../../field-types/schemas.ts';
import { linkHeader } from '../../http/link-header.ts';
import { answerUserPage } from '../../pages/user/user-page.tsx';
import { paths } from '../../paths.ts';
import { cancelAccess, mailAccess } from '../../repository/account-access.ts';
import { ANONYMOUS_ID } from '../../repository/actor.ts';
import { accountAccess, type CoreRight } from '../../repository/core-right.ts';
import { userViewAccess } from '../../repository/user-access.ts';
import type { User } from '../../repository/users/find-user.ts';
import { coreLinks } from '../../representation/core-links.ts';
import { userJson } from '../../representation/user-json.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findUserOr404, userParams } from '../../web/find-user-or-404.ts';
import { PAGE_AND_JSON_FORMATS } from '../../web/formats.ts';
import { listOfOne, namedSchema } from '../../web/openapi/components.ts';
import { describe, JSON_TYPE, PAGE_CONTENT, READ_CONDITIONS, versioned } from '../../web/openapi/describe.ts';
import { plainRepresentation } from '../../web/respond.ts';

/** Which members a caller gets depends on the caller (spec: rest-behaviour, 3.3). */
export const userSchema = namedSchema('User', (components) => {
  const words = components.itemOf('string');
  const moment = components.itemOf('created');
  const flag = components.itemOf('boolean');
  const role = components.itemOf('entity_reference', { targetType: 'user_role' });
  const upToOne = (item: TSchema) => t.Array(item, { maxItems: 1 });
  const members: TProperties = {
    uid: listOfOne(components.itemOf('integer')),
    uuid: upToOne(components.itemOf('uuid')),
    langcode: listOfOne(words),
    preferred_langcode: t.Optional(upToOne(words)),
    preferred_admin_langcode: t.Optional(upToOne(words)),
    name: listOfOne(words),
    mail: t.Optional(upToOne(words)),
    timezone: t.Optional(upToOne(words)),
    status: t.Optional(listOfOne(flag)),
    created: listOfOne(moment),
    changed: listOfOne(moment),
    access: t.Optional(listOfOne(moment)),
    login: t.Optional(listOfOne(moment)),
    init: t.Optional(upToOne(words)),
    roles: t.Optional(t.Array(role)),
    default_langcode: listOfOne(flag),
    path: listOfOne(components.itemOf('path')),
  };
  for (const definition of components.api.services.model.userBundle.fields)
    members[definition.name] = t.Array(components.item(definition), { title: definition.label });
  return closed(members);
});

/** The route of users, read only. */
export const userRoutes = (api: ApiServices) =>
  resource(api).get(paths.user, async ({ call }) => show(call), {
    check: { resource: 'entity.user', formats: PAGE_AND_JSON_FORMATS },
    params: userParams,
    detail: describe({
      operationId: 'getUser',
      tag: 'accounts',
      summary: 'Read a user',
      description:
        'As JSON, or as a page with the name and the items of the user. The members depend on the caller. A password is never returned.',
      headers: READ_CONDITIONS,
      responses: versioned('The user as the caller may view it.', { [JSON_TYPE]: userSchema, ...PAGE_CONTENT }, [
        'Link',
      ]),
      failures: [403, 404, 412],
    }),
  });

async function show(call: Call): Promise<Response> {
  const { api, actor } = call;
  const user = await findUserOr404(call);
  call.allow(userViewAccess(actor, user.row));
  const { id: userId, changed } = user.row;
  const may = (right: CoreRight) => mayOpen(call, user, right);
  const links = coreLinks({ type: 'user', id: userId }, { baseUrl: call.baseUrl, offers: api.offers, may });
  const link = linkHeader(links);
  if (call.format === 'html') return answerUserPage(call, user, link, may('remove'));
  return plainRepresentation(call, userJson(user, actor, api.services.model, call.baseUrl), changed, link);
}

/** Returns true for a page of the account that the caller may open. */
function mayOpen({ actor, api }: Call, { row: { id, deletedAt }, roles }: User, right: CoreRight): boolean {
  if (right === 'view') return true;
  if (right === 'list') return accountAccess(actor).isAllowed;
  const access = right === 'remove' ? cancelAccess : mailAccess;
  return id !== ANONYMOUS_ID && deletedAt === null && access(actor, api.services.model, { id, roles }).isAllowed;
}
