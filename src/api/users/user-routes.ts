import { Type as t } from '@sinclair/typebox';
import { linkHeader } from '../../http/link-header.ts';
import { paths } from '../../paths.ts';
import { userViewAccess } from '../../repository/access.ts';
import { ANONYMOUS_ID } from '../../repository/actor.ts';
import { accountAccess, type CoreRight } from '../../repository/core-right.ts';
import type { User } from '../../repository/users/find-user.ts';
import { coreLinks } from '../../representation/core-links.ts';
import type { ApiServices } from '../api-services.ts';
import { type Call, parseId } from '../call.ts';
import { resource } from '../check.ts';
import { jsonOf, READ_CONDITIONS, versioned } from '../openapi/answers.ts';
import { describe } from '../openapi/describe.ts';
import { parameter } from '../parameters.ts';
import { plainRepresentation } from '../respond.ts';
import { userJson } from './user-json.ts';

/** How 404 messages name the route of a user, at every address of the user. */
export const USER_NAMES = { name: 'rest.entity.user.GET', shownPath: paths.user };

/** The id in the path of a user. The anonymous user has a record, too. */
export const userParams = t.Object({
  user: parameter(
    { type: 'integer', minimum: 1, description: 'The id of the user.' },
    (text) => text === String(ANONYMOUS_ID) || parseId(text) !== undefined,
    (_value, name, call) => call.notFound(name),
  ),
});

/** The records of users, read only. */
export const userRoutes = (api: ApiServices) =>
  resource(api).get(paths.user, async ({ call }) => show(call), {
    check: { resource: 'entity.user', ...USER_NAMES },
    params: userParams,
    detail: describe({
      operationId: 'getUser',
      tag: 'accounts',
      summary: 'Read a user',
      description: 'Each caller is shown what concerns them; a password is shown to nobody.',
      headers: READ_CONDITIONS,
      responses: versioned('The user as the caller may see them.', jsonOf('User'), ['Link']),
      failures: [403, 404, 412],
    }),
  });

/** Returns the user that a path names. Throws 404 with the message of the API. */
export async function findUserOr404(call: Call): Promise<User> {
  const user = await call.api.findUser.byId(Number(call.params.user));
  if (user === undefined) throw call.notFound('user');
  return user;
}

async function show(call: Call): Promise<Response> {
  const { api, actor } = call;
  const user = await findUserOr404(call);
  call.allow(userViewAccess(actor, user.row));
  const { id: userId, changed } = user.row;
  const may = (right: CoreRight) => right === 'view' || accountAccess(actor).isAllowed;
  const links = coreLinks({ type: 'user', id: userId }, { baseUrl: call.baseUrl, offers: api.offers, may });
  return plainRepresentation(call, userJson(user, actor, api.services.model, call.baseUrl), changed, linkHeader(links));
}
