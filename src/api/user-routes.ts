import { linkHeader } from '../http/link-header.ts';
import { paths } from '../paths.ts';
import { userViewAccess } from '../repository/access.ts';
import { ANONYMOUS_ID } from '../repository/actor.ts';
import { accountAccess, type CoreRight } from '../repository/core-right.ts';
import type { User } from '../repository/users/find-user.ts';
import { coreLinks } from '../representation/core-links.ts';
import { userJson } from '../representation/user-json.ts';
import { type Call, parseId } from './call.ts';
import { readUser } from './openapi/describe-accounts.ts';
import { plainRepresentation } from './respond.ts';
import type { Route } from './routes.ts';

/** The records of users, read only. */
export const userRoutes: readonly Route[] = [
  { method: 'GET', path: paths.user, resource: 'entity.user', description: readUser, answer: show },
];

/** Returns the user that a path names. Throws 404 with the message of the API. */
export async function findUserOr404(call: Call): Promise<User> {
  // The anonymous user has a record, too.
  const id = call.params.user === String(ANONYMOUS_ID) ? ANONYMOUS_ID : parseId(call.params.user);
  const user = id === undefined ? undefined : await call.api.findUser.byId(id);
  if (user === undefined) throw call.notFound('user', paths.user, 'rest.entity.user.GET');
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
