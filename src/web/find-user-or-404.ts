import { Type as t } from '@sinclair/typebox';
import { ANONYMOUS_ID } from '../repository/actor.ts';
import type { User } from '../repository/users/find-user.ts';
import { type Call, parseId } from './call.ts';
import { parameter } from './parameters.ts';

/** The id in the path of a user. The anonymous user has a record, too, with the id 0. */
export const userParams = t.Object({
  user: parameter(
    { type: 'integer', minimum: 1, description: 'The id of the user.' },
    (text) => text === String(ANONYMOUS_ID) || parseId(text) !== undefined,
    (_value, name, call) => call.notFound(name),
  ),
});

/** Returns the user that a path names. Throws 404 if it does not exist. */
export async function findUserOr404(call: Call): Promise<User> {
  const user = await call.api.findUser.byId(Number(call.params.user));
  if (user === undefined) throw call.notFound('user');
  return user;
}
