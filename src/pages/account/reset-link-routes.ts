import { type Static, Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { statusOf } from '../../http/error-status.ts';
import { pathOf, paths } from '../../paths.ts';
import { manageAccess } from '../../repository/account-access.ts';
import type { User } from '../../repository/users/find-user.ts';
import { createResetLink } from '../../repository/users/reset-links.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { userParams } from '../../web/find-user-or-404.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import type { ResetLinkData } from './account-data.ts';
import { managedAccount } from './managed-account.ts';
import { ownPasswordProblem } from './new-password.ts';
import { resetLinkPage } from './reset-link-page.tsx';
import { mailResetLink, mayMail } from './reset-mail.ts';

const ResetLinkForm = t.Object({
  by: t.Optional(t.String({ description: '`mail`, or `page` for the answer (default).' })),
  pass: t.Optional(t.String({ description: 'The current password, for a link to the own account.' })),
});

/** Routes of the page on which an administrator creates a reset link. */
export const resetLinkRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.userResetLink, async ({ call }) => show(call, await managed(call)), {
      check: { formats: PAGE_FORMATS },
      params: userParams,
    })
    .post(paths.userResetLink, ({ call, body }) => create(call, body), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: managed },
      params: userParams,
      body: ResetLinkForm,
    });

const managed = (call: Call) => managedAccount(call, (actor, model, { roles }) => manageAccess(actor, model, roles));

function show(call: Call, user: User, more: Partial<ResetLinkData> = {}, status = 200): Response {
  const { api, formToken, site } = call;
  const { row } = user;
  const data: ResetLinkData = {
    token: formToken,
    account: row,
    mail: row.mail,
    isBlocked: !row.status,
    isOwn: row.id === call.actor.id,
    mayMail: mayMail(api, row.mail),
    problems: [],
    ...more,
  };
  return formAnswer(resetLinkPage(data, site), status);
}

async function create(call: Call, { by, pass = '' }: Static<typeof ResetLinkForm>): Promise<Response> {
  const user = await managed(call);
  try {
    const problem = await ownProblem(call, user, pass);
    if (problem !== undefined) return show(call, user, { problems: [problem] }, 422);
    return by === 'mail' ? await mailLink(call, user) : await showLink(call, user);
  } catch (error) {
    if (!(error instanceof ServiceError) || !REFUSALS.has(error.kind)) throw error;
    return show(call, user, { problems: [{ message: error.publicMessage }] }, statusOf(error.kind));
  }
}

const REFUSALS = new Set<ServiceError['kind']>(['unprocessable', 'too-many-requests']);

/** A link to the own account sets a new password without the present one: a session that was left open must not suffice. */
async function ownProblem(call: Call, { row }: User, password: string): Promise<FormProblem | undefined> {
  return row.id === call.actor.id ? ownPasswordProblem(call, password) : undefined;
}

/** Shows a new link. No address shows it again: the database holds its digest. */
export async function showLink(call: Call, user: User, isNew = false): Promise<Response> {
  const { token } = await createResetLink(call.api.services, user);
  return show(call, user, { link: call.baseUrl + pathOf('passwordReset', { token }), isNew });
}

/** Mails a new link, and waits for the mail server: the administrator must know if that failed. */
export async function mailLink(call: Call, user: User): Promise<Response> {
  const { api } = call;
  const { row } = user;
  const problem = (message: string) => show(call, user, { problems: [{ message }] }, 422);
  if (!row.status) return problem(`${row.name} is blocked. Unblock the user first.`);
  if (!mayMail(api, row.mail))
    return problem('No mail can be sent: the account has no address, or the site no mail server.');
  if (!(await mailResetLink(api, user)))
    return problem('The mail was not sent: the mail server refused it or did not answer. Show the link here instead.');
  return seeOther(call, pathOf('userEdit', { user: row.id }), `A link was mailed to ${row.mail}.`);
}
