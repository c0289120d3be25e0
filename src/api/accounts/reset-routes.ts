import { type Static, Type as t } from '@sinclair/typebox';
import { isSessionId } from '../../auth/session-token.ts';
import { entityPath, paths } from '../../paths.ts';
import { findResetUser, setPasswordByLink } from '../../repository/users/reset-links.ts';
import type { FormProblem } from '../../representation/account-page-data.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { PAGE_FORMATS } from '../formats.ts';
import { FORM_HEADERS, formPage, seeOther } from '../forms/form-answer.ts';
import { describe, HIDDEN, PAGE_CONTENT } from '../openapi/describe.ts';
import { newSession } from '../sessions/begin-session.ts';
import { NEW_PASSWORD, newPasswordProblems } from './new-password.ts';

const ALLOWED = { isAllowed: true } as const;
const NewPassword = t.Object(NEW_PASSWORD);
const Token = t.Object({ token: t.String({ description: 'The token of a reset link.' }) });
/** The address is a secret, which no other page may learn. */
const HEADERS = { 'Referrer-Policy': 'no-referrer' };

const INVALID_LINK = { description: 'The link is not valid.', headers: FORM_HEADERS, content: PAGE_CONTENT };

/** Routes of the page to which a reset link leads. Mail scanners open links: only the form uses one up. */
export const resetRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.passwordReset, ({ call }) => show(call), {
      check: { formats: PAGE_FORMATS },
      params: Token,
      detail: describe({
        operationId: 'getPasswordResetPage',
        tag: 'pages',
        summary: 'Show the form for the new password of a reset link',
        responses: {
          200: { description: 'The form.', headers: FORM_HEADERS, content: PAGE_CONTENT },
          404: INVALID_LINK,
        },
        failures: [],
      }),
    })
    .post(paths.passwordReset, ({ call, body }) => setPassword(call, body), {
      check: { form: 'open', formats: PAGE_FORMATS, access: (call: Call) => call.allow(ALLOWED) },
      params: Token,
      body: NewPassword,
      detail: HIDDEN,
    });

/** Answers the form, or 404 with the reason for an invalid link. */
async function show(call: Call, problems: readonly FormProblem[] = []): Promise<Response> {
  call.allow(ALLOWED);
  const { api, site } = call;
  const { token = '' } = call.params;
  const user = isSessionId(token) ? await findResetUser(api.services, token) : undefined;
  const page = api.pages.newPassword({ token, name: user?.name, problems }, site);
  const status = problems.length === 0 ? 200 : 422;
  return formPage(page, user === undefined ? 404 : status, HEADERS);
}

async function setPassword(call: Call, typed: Static<typeof NewPassword>): Promise<Response> {
  const { token = '' } = call.params;
  const problems = newPasswordProblems(typed);
  if (problems.length > 0) return show(call, problems);
  const { stored, cookie } = newSession(call);
  const id = await setPasswordByLink(call.api.services, token, typed.pass_new, stored);
  if (id === undefined) return show(call);
  return seeOther(call, entityPath.user(id), 'Your password is set, and you are signed in.', {
    ...HEADERS,
    'Set-Cookie': cookie,
  });
}
