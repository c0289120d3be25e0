import { createHash } from 'node:crypto';
import { type Static, Type as t } from '@sinclair/typebox';
import { statusOf } from '../../http/error-status.ts';
import { entityPath, paths } from '../../paths.ts';
import { mailAccess, manageAccess } from '../../repository/account-access.ts';
import { mailProblem, nameProblem } from '../../repository/users/account-problems.ts';
import { type AccountChange, changeAccount, NameTaken } from '../../repository/users/change-account.ts';
import type { User } from '../../repository/users/find-user.ts';
import { findPendingMail } from '../../repository/users/mail-change.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { userParams } from '../../web/find-user-or-404.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import type { AccountValues, EditAccountData } from './account-data.ts';
import { roleProblem } from './add-account.ts';
import { mailConfirmation, tellOldAddress } from './change-mail.ts';
import { editAccountPage } from './edit-account-page.tsx';
import { grantable, isFormProblem, managedAccount } from './managed-account.ts';
import { ownPasswordProblem } from './new-password.ts';

/** Missing fields are those that the form of the caller lacks. */
const Account = t.Object({
  version: t.String(),
  mail: t.String(),
  name: t.Optional(t.String()),
  roles: t.Array(t.String()),
  status: t.Optional(t.String()),
  pass: t.Optional(t.String()),
});
type AccountInput = Static<typeof Account>;

/** Routes of the form of an account, for administrators, and with the mail address for its owner. */
export const editRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.userEdit, async ({ call }) => show(call, await account(call)), {
      check: { formats: PAGE_FORMATS },
      params: userParams,
    })
    .post(paths.userEdit, ({ call, body }) => save(call, body), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: account },
      params: userParams,
      body: Account,
    });

const account = (call: Call) => managedAccount(call, mailAccess);

function mayManage({ actor, api }: Call, { roles }: User): boolean {
  return manageAccess(actor, api.services.model, roles).isAllowed;
}

async function show(
  call: Call,
  user: User,
  { values = valuesOf(user), problems = [], status = 200 }: Partial<RejectedValues> = {},
): Promise<Response> {
  const { api, actor, formToken, site } = call;
  const { row } = user;
  const data: EditAccountData = {
    token: formToken,
    account: row,
    values,
    version: versionOf(user),
    roles: mayManage(call, user) ? grantable(call) : undefined,
    pendingMail: await findPendingMail(api.services, row.id),
    isOwn: row.id === actor.id,
    problems,
  };
  return formAnswer(editAccountPage(data, site), status);
}

interface RejectedValues {
  readonly values: AccountValues;
  readonly problems: readonly FormProblem[];
  readonly status: number;
}

function valuesOf({ row, roles }: User): AccountValues {
  return { name: row.name, mail: row.mail ?? '', roles, isBlocked: !row.status };
}

/** Returns a text that differs after each change of the values of the form. */
function versionOf({ row: { name, mail, roles, status } }: User): string {
  return createHash('sha256')
    .update(JSON.stringify([name, mail, roles, status]))
    .digest('base64url');
}

async function save(call: Call, typed: AccountInput): Promise<Response> {
  const user = await account(call);
  const isManager = mayManage(call, user);
  const wanted = isManager ? wantedByManager(call, user, typed) : { mail: typed.mail.trim() || null };
  const values = { ...valuesOf(user), ...wanted, mail: typed.mail };
  const invalid = (problems: readonly FormProblem[], status = 422) => show(call, user, { values, problems, status });
  try {
    const isOwn = user.row.id === call.actor.id;
    const problems = await problemsOf(call, user, wanted, isOwn ? (typed.pass ?? '') : undefined);
    if (typed.version !== versionOf(user))
      problems.unshift({
        message: 'The account was changed since you opened this form. Check your values, and save again.',
      });
    if (problems.length > 0) return await invalid(problems);
    if (!isManager && needsConfirmation(call, user, wanted))
      return await confirmFirst(call, user, wanted.mail, invalid);
    await changeAccount(call.api.services, user, wanted);
    if (wanted.mail !== user.row.mail) tellOldAddress(call.api, user, 'The mail address of your account was changed.');
  } catch (error) {
    if (!isFormProblem(error)) throw error;
    const field = error instanceof NameTaken ? 'name' : undefined;
    return invalid([{ field, message: error.publicMessage }], statusOf(error.kind));
  }
  return seeOther(call, entityPath.user(user.row.id), 'The account is saved.');
}

/** Returns true for a new address of an owner on a site with a mail server: a link sent there proves that it is the owner's. */
function needsConfirmation(
  { api }: Call,
  { row }: User,
  wanted: AccountChange,
): wanted is AccountChange & { readonly mail: string } {
  return api.mail !== undefined && typeof wanted.mail === 'string' && wanted.mail !== row.mail;
}

/** Waits for the mail server: the owner must know if the link was not sent. */
async function confirmFirst(
  call: Call,
  user: User,
  mail: string,
  invalid: (problems: readonly FormProblem[]) => Promise<Response>,
): Promise<Response> {
  if (!(await mailConfirmation(call.api, user, mail)))
    return invalid([
      { field: 'mail', message: `No mail could be sent to ${mail}. Check the address, or try again later.` },
    ]);
  const notice = `A link was mailed to ${mail}. The address takes effect once you open it and confirm.`;
  return seeOther(call, entityPath.user(user.row.id), notice);
}

/** Returns what an administrator wants. A held role that the model lacks stays: it grants nothing, and the form does not show it. */
function wantedByManager({ api, actor }: Call, { row, roles }: User, typed: AccountInput): AccountChange {
  const lost = roles.filter((role) => !api.services.model.roles.has(role));
  return {
    name: (typed.name ?? row.name).trim(),
    mail: typed.mail.trim() || null,
    roles: [...typed.roles, ...lost],
    ...(row.id !== actor.id && typed.status !== undefined && { isBlocked: typed.status === 'blocked' }),
  };
}

/** `password` is that of the owner: a session that was left open must not suffice for an address that gets links to a new password. */
async function problemsOf(
  call: Call,
  { row, roles }: User,
  wanted: AccountChange,
  password: string | undefined,
): Promise<FormProblem[]> {
  const problems: FormProblem[] = [];
  const add = (field: string, message: string | undefined) => message && problems.push({ field, message });
  if (wanted.name !== undefined && wanted.name !== row.name) add('name', nameProblem(wanted.name));
  if (wanted.mail && wanted.mail !== row.mail) add('mail', mailProblem(wanted.mail));
  add(
    'roles',
    roleProblem(
      call,
      (wanted.roles ?? []).filter((role) => !roles.includes(role)),
    ),
  );
  if (password !== undefined && problems.length === 0 && wanted.mail !== row.mail) {
    const problem = await ownPasswordProblem(call, password);
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}
