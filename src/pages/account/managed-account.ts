import { sessionCookieName } from '../../auth/session-token.ts';
import { ServiceError } from '../../base/errors.ts';
import { endedSessionCookie } from '../../http/cookies.ts';
import type { ContentModel } from '../../model/content-model.ts';
import type { Access } from '../../repository/access-rule.ts';
import { rolesToGrant } from '../../repository/account-access.ts';
import { type Actor, ANONYMOUS_ID } from '../../repository/actor.ts';
import type { User } from '../../repository/users/find-user.ts';
import { isSecure } from '../../web/begin-session.ts';
import type { Call } from '../../web/call.ts';
import { findUserOr404 } from '../../web/find-user-or-404.ts';
import type { NamedRole } from './account-data.ts';

type Rule = (actor: Actor, model: ContentModel, account: { id: number; roles: readonly string[] }) => Access;

/**
 * Returns the account in the path, to which the caller has access. Refuses anonymous callers before it looks, and throws
 * 404 for an unknown or deleted account.
 */
export async function managedAccount(call: Call, rule: Rule): Promise<User> {
  const { actor, api } = call;
  if (!actor.isAuthenticated) throw call.refusal('');
  const user = await findUserOr404(call);
  if (user.row.id === ANONYMOUS_ID || user.row.deletedAt !== null) throw call.notFound('user');
  call.allow(rule(actor, api.services.model, { id: user.row.id, roles: user.roles }));
  return user;
}

/** Returns the roles that the caller may grant, with their labels. */
export function grantable({ actor, api }: Call): NamedRole[] {
  const { model } = api.services;
  return rolesToGrant(actor, model).map((name) => ({ name, label: model.roles.get(name)?.label ?? name }));
}

const FORM_PROBLEMS = new Set<ServiceError['kind']>(['unprocessable', 'conflict', 'too-many-requests']);

/** Returns true for an error of a change of an account that its form shows. */
export function isFormProblem(error: unknown): error is ServiceError {
  return error instanceof ServiceError && FORM_PROBLEMS.has(error.kind);
}

/** Returns the header that removes the session cookie of the caller. */
export function withoutSession({ baseUrl }: Call): Record<string, string> {
  return { 'Set-Cookie': endedSessionCookie(sessionCookieName(baseUrl), isSecure(baseUrl)) };
}
