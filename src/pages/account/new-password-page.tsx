import { type Static, Type as t } from '@sinclair/typebox';
import { isSessionId } from '../../auth/session-token.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import { findResetUser, setPasswordByLink } from '../../repository/users/reset-links.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { newSession } from '../../web/begin-session.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { formPage } from '../forms/form-page.tsx';
import type { NewPasswordData } from './account-data.ts';
import { invalidLinkPage } from './invalid-link-page.tsx';
import { NEW_PASSWORD, newPasswordProblems } from './new-password.ts';
import { KnownName, NewPasswordFields } from './new-password-fields.tsx';

const ALLOWED = { isAllowed: true } as const;
const NewPassword = t.Object(NEW_PASSWORD);
const Token = t.Object({ token: t.String({ description: 'The token of a reset link.' }) });
/** The address is a secret, which no other page may learn. */
const HEADERS = { 'Referrer-Policy': 'no-referrer' };

/** Routes of the page to which a reset link leads. Mail scanners open links: only the form uses one up. */
export const resetRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.passwordReset, ({ call }) => show(call), {
      check: { formats: PAGE_FORMATS },
      params: Token,
    })
    .post(paths.passwordReset, ({ call, body }) => setPassword(call, body), {
      check: { form: 'open', formats: PAGE_FORMATS, access: (call: Call) => call.allow(ALLOWED) },
      params: Token,
      body: NewPassword,
    });

/** Returns the user of the link in the path. Undefined for an invalid link. */
async function userOfLink({ api, params: { token = '' } }: Call) {
  return isSessionId(token) ? findResetUser(api.services, token) : undefined;
}

/** Answers the form, or 404 with the reason for an invalid link. */
async function show(call: Call, problems: readonly FormProblem[] = []): Promise<Response> {
  call.allow(ALLOWED);
  const { site } = call;
  const { token = '' } = call.params;
  const user = await userOfLink(call);
  const page = newPasswordPage({ token, name: user?.name, problems }, site);
  const status = problems.length === 0 ? 200 : 422;
  return formAnswer(page, user === undefined ? 404 : status, HEADERS);
}

async function setPassword(call: Call, typed: Static<typeof NewPassword>): Promise<Response> {
  const { token = '' } = call.params;
  const user = await userOfLink(call);
  const problems = user === undefined ? [] : newPasswordProblems(typed, user.name);
  if (user === undefined || problems.length > 0) return show(call, problems);
  const { stored, cookie } = newSession(call);
  const id = await setPasswordByLink(call.api.services, token, typed.pass_new, stored);
  if (id === undefined) return show(call);
  return seeOther(call, entityPath.user(id), 'Your password is set, and you are signed in.', {
    ...HEADERS,
    'Set-Cookie': cookie,
  });
}

/** Returns the page to which a reset link leads. */
function newPasswordPage({ token, name, problems }: NewPasswordData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  if (name === undefined)
    return invalidLinkPage(
      site,
      <>
        <a href={root + paths.password}>Ask for another link</a> · <a href={root + paths.login}>Sign in</a>
      </>,
    );
  return formPage({
    site,
    heading: 'Choose a password',
    lead: (
      <p>
        For the account <bdi>{name}</bdi>. You are signed in then, and sessions in other browsers end.
      </p>
    ),
    errors: problems,
    styles: ['account.css'],
    modules: ['password.js'],
    children: (
      <form method="post" action={root + pathOf('passwordReset', { token })}>
        <KnownName name={name} />
        <NewPasswordFields problems={problems} />
        <p>
          <button class="button" type="submit">
            Set the password
          </button>
        </p>
      </form>
    ),
  });
}
