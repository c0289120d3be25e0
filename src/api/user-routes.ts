import { linkHeader } from '../http/link-header.ts';
import { paths } from '../paths.ts';
import { userViewAccess } from '../repository/access.ts';
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

async function show(call: Call): Promise<Response> {
  const { api, actor } = call;
  const id = parseId(call.params.user);
  const user = id === undefined ? undefined : await api.findUser.byId(id);
  if (user === undefined) throw call.notFound('user', paths.user, 'rest.entity.user.GET');
  call.allow(userViewAccess(actor, user.row));
  const link = linkHeader(coreLinks('user', { id: user.row.id }, call.baseUrl));
  return plainRepresentation(call, userJson(user, actor, api.services.model, call.baseUrl), user.row.changed, link);
}
