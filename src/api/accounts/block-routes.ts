import { Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { statusOf } from '../../http/error-status.ts';
import { entityPath, paths } from '../../paths.ts';
import { blockAccess } from '../../repository/account-access.ts';
import { changeAccount } from '../../repository/users/change-account.ts';
import { countOwned } from '../../repository/users/count-owned.ts';
import type { FormProblem } from '../../representation/account-page-data.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { PAGE_FORMATS } from '../formats.ts';
import { FORM_HEADERS, formPage, seeOther } from '../forms/form-answer.ts';
import { describe, HIDDEN, PAGE_CONTENT } from '../openapi/describe.ts';
import { userParams } from '../users/user-routes.ts';
import { managedAccount } from './managed-account.ts';

/** A form that is sent twice must not undo itself. */
const Wanted = t.Object({ status: t.Union([t.Literal('active'), t.Literal('blocked')]) });

/** Routes of the page that blocks an account, or unblocks it. Accounts are never deleted: content names its owner. */
export const blockRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.userCancel, ({ call }) => show(call), {
      check: { formats: PAGE_FORMATS },
      params: userParams,
      detail: describe({
        operationId: 'getUserCancelPage',
        tag: 'pages',
        summary: 'Show the form that blocks an account',
        isForAnyone: false,
        responses: { 200: { description: 'The form.', headers: FORM_HEADERS, content: PAGE_CONTENT } },
        failures: [403, 404],
      }),
    })
    .post(paths.userCancel, ({ call, body }) => change(call, body.status === 'blocked'), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: account },
      params: userParams,
      body: Wanted,
      detail: HIDDEN,
    });

const account = (call: Call) => managedAccount(call, blockAccess);

async function show(call: Call, problems: readonly FormProblem[] = [], status = 200): Promise<Response> {
  const { api, formToken, site } = call;
  const { row } = await account(call);
  const owned = await countOwned(api.services.database, row.id);
  const data = { token: formToken, account: row, isBlocked: !row.status, ...owned, problems };
  return formPage(api.pages.block(data, site), status);
}

async function change(call: Call, isBlocked: boolean): Promise<Response> {
  const user = await account(call);
  const { id, name } = user.row;
  try {
    await changeAccount(call.api.services, user, { isBlocked });
  } catch (error) {
    if (!(error instanceof ServiceError) || (error.kind !== 'unprocessable' && error.kind !== 'conflict')) throw error;
    return show(call, [{ message: error.publicMessage }], statusOf(error.kind));
  }
  return seeOther(call, entityPath.user(id), isBlocked ? `${name} is blocked.` : `${name} is no longer blocked.`);
}
