import { type Static, Type as t } from '@sinclair/typebox';
import { newPasswordProblem } from '../../auth/password-policy.ts';
import { ServiceError } from '../../base/errors.ts';
import { pathOf } from '../../paths.ts';
import { accountAccess } from '../../repository/core-right.ts';
import { mailProblem, nameProblem } from '../../repository/users/account-problems.ts';
import { createUser } from '../../repository/users/manage-users.ts';
import type { Call } from '../../web/call.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { INVITATIONS, type NewAccountData } from './account-data.ts';
import { grantable } from './managed-account.ts';
import { newAccountPage } from './new-account-page.tsx';
import { mailLink, showLink } from './reset-link-routes.ts';

/** The form of a new account. */
export const NewAccount = t.Object({
  name: t.String(),
  mail: t.String(),
  roles: t.Array(t.String()),
  invitation: t.String(),
  pass_new: t.String(),
});
type NewAccountInput = Static<typeof NewAccount>;

/** Answers the form for a new account. */
export function showNewAccount(call: Call, typed?: NewAccountInput, problems: readonly FormProblem[] = []): Response {
  const { api, actor, formToken, site } = call;
  call.require(accountAccess(actor));
  const { name = '', mail = '', roles = [] } = typed ?? {};
  const data: NewAccountData = {
    token: formToken,
    values: { name, mail, roles, isBlocked: false },
    invitation: invitationOf(typed) ?? 'link',
    roles: grantable(call),
    mayMail: api.mail !== undefined,
    problems,
  };
  return formAnswer(newAccountPage(data, site), problems.length === 0 ? 200 : 422);
}

/** Adds an account. Its user gets a link to choose a password, or a password that the administrator has chosen. */
export async function addAccount(call: Call, typed: NewAccountInput): Promise<Response> {
  const { api } = call;
  const problems = problemsOf(call, typed);
  if (problems.length > 0) return showNewAccount(call, typed, problems);
  const [name, mail, invitation] = [typed.name.trim(), typed.mail.trim(), invitationOf(typed)];
  let id: number;
  try {
    id = await createUser(api.services, {
      name,
      roles: typed.roles,
      ...(mail !== '' && { mail }),
      ...(invitation === 'password' && { password: typed.pass_new }),
    });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'unprocessable') throw error;
    return showNewAccount(call, typed, [{ field: 'name', message: error.publicMessage }]);
  }
  const user = await api.findUser.byId(id);
  if (user === undefined || invitation === 'password')
    return seeOther(call, pathOf('userEdit', { user: id }), `${name} is added.`);
  return invitation === 'mail' ? mailLink(call, user) : showLink(call, user, true);
}

function problemsOf(call: Call, typed: NewAccountInput): FormProblem[] {
  const mail = typed.mail.trim();
  const invitation = invitationOf(typed);
  const problems: FormProblem[] = [];
  const add = (field: string, message: string | undefined) => message && problems.push({ field, message });
  add('name', nameProblem(typed.name.trim()));
  if (mail !== '') add('mail', mailProblem(mail));
  else if (invitation === 'mail') add('mail', 'Enter the mail address to which the link is sent.');
  add('roles', roleProblem(call, typed.roles));
  if (invitation === undefined || (invitation === 'mail' && call.api.mail === undefined))
    add('invitation', 'Choose how the user gets a password.');
  if (invitation === 'password') add('pass_new', newPasswordProblem(typed.pass_new, typed.name.trim()));
  return problems;
}

/** Returns the problem of roles that the caller may not grant. */
export function roleProblem(call: Call, roles: readonly string[]): string | undefined {
  const known = new Set(grantable(call).map(({ name }) => name));
  const other = roles.find((role) => !known.has(role));
  return other === undefined ? undefined : `You may not grant the role ${other}.`;
}

function invitationOf(typed: NewAccountInput | undefined) {
  return INVITATIONS.find((each) => each === typed?.invitation);
}
