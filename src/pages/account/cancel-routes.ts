import { type Static, Type as t } from '@sinclair/typebox';
import { malformed } from '../../base/errors.ts';
import { statusOf } from '../../http/error-status.ts';
import { entityPath, paths } from '../../paths.ts';
import { cancelAccess } from '../../repository/account-access.ts';
import { changeAccount } from '../../repository/users/change-account.ts';
import { countOwned, deleteAccount } from '../../repository/users/delete-account.ts';
import { normalizeName, type User } from '../../repository/users/find-user.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { userParams } from '../../web/find-user-or-404.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { ACCOUNT_ENDS, type AccountEnd } from './account-data.ts';
import { cancelPage } from './cancel-page.tsx';
import { isFormProblem, managedAccount, withoutSession } from './managed-account.ts';
import { ownPasswordProblem } from './new-password.ts';

/** The form names the state that is wanted: sent twice, it must not undo itself. */
const CancelForm = t.Object({
  status: t.Union(ACCOUNT_ENDS.map((end) => t.Literal(end))),
  name: t.Optional(t.String({ description: 'The name of the account, which confirms its deletion.' })),
  pass: t.Optional(t.String({ description: 'The current password of a user who cancels the own account.' })),
});
type CancelInput = Static<typeof CancelForm>;

/** Routes of the page that blocks, unblocks or deletes an account, and on which users cancel their own. */
export const cancelRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.userCancel, async ({ call }) => show(call, await account(call)), {
      check: { formats: PAGE_FORMATS },
      params: userParams,
    })
    .post(paths.userCancel, ({ call, body }) => cancel(call, body), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: account },
      params: userParams,
      body: CancelForm,
    });

const account = (call: Call) => managedAccount(call, cancelAccess);
const isOwn = ({ actor }: Call, { row }: User) => row.id === actor.id;

interface CancelState {
  readonly chosen?: AccountEnd;
  readonly problems?: readonly FormProblem[];
  readonly status?: number;
}

async function show(call: Call, user: User, shown: CancelState = {}): Promise<Response> {
  const { api, formToken, site } = call;
  const { id, name, status: isActive } = user.row;
  const { chosen = isActive ? 'blocked' : 'active', problems = [], status = 200 } = shown;
  const owned = await countOwned(api.services.database, id);
  const state = { isOwn: isOwn(call, user), isBlocked: !isActive, chosen };
  const data = { token: formToken, account: { id, name }, ...state, ...owned, problems };
  return formAnswer(cancelPage(data, site), status);
}

async function cancel(call: Call, typed: CancelInput): Promise<Response> {
  const user = await account(call);
  const chosen = typed.status;
  try {
    const problem = isOwn(call, user) ? await ownProblem(call, typed) : deletionProblem(user, typed);
    if (problem !== undefined) return show(call, user, { chosen, problems: [problem], status: 422 });
    if (chosen === 'deleted') await deleteAccount(call.api.services, user);
    else await changeAccount(call.api.services, user, { isBlocked: chosen === 'blocked' });
  } catch (error) {
    if (!isFormProblem(error)) throw error;
    const problems = [{ message: error.publicMessage }];
    return show(call, user, { chosen, problems, status: statusOf(error.kind) });
  }
  return isOwn(call, user) ? leave(call) : answer(call, user, chosen);
}

/** A session that was left open must not suffice. */
async function ownProblem(call: Call, { status, pass = '' }: CancelInput): Promise<FormProblem | undefined> {
  if (status !== 'blocked') throw malformed('status must be "blocked": an administrator unblocks or deletes accounts.');
  return ownPasswordProblem(call, pass);
}

function deletionProblem({ row }: User, { status, name = '' }: CancelInput): FormProblem | undefined {
  if (status !== 'deleted' || normalizeName(name.trim()) === row.name) return undefined;
  return { field: 'name', message: `Enter the user name ${row.name} to confirm the deletion.` };
}

function leave(call: Call): Response {
  return seeOther(call, paths.home, 'Your account is cancelled, and you are signed out.', withoutSession(call));
}

const NOTICES = { active: 'is no longer blocked.', blocked: 'is blocked.', deleted: 'is deleted.' };

function answer(call: Call, { row: { id, name } }: User, end: AccountEnd): Response {
  return seeOther(call, end === 'deleted' ? paths.users : entityPath.user(id), `${name} ${NOTICES[end]}`);
}
