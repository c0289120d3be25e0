import { type Static, Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { statusOf } from '../../http/error-status.ts';
import { entityPath, paths } from '../../paths.ts';
import { requestReset } from '../../repository/users/request-reset.ts';
import { changePassword } from '../../repository/users/reset-links.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { newSession } from '../../web/begin-session.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { addressOf } from '../../web/identify.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import type { PasswordPageData } from './account-data.ts';
import { AccountCrumbs } from './account-navigation.tsx';
import { NEW_PASSWORD, newPasswordProblems, ownPasswordProblem } from './new-password.ts';
import { CurrentPasswordField, KnownName, NewPasswordFields } from './new-password-fields.tsx';
import { mailResetLink, mayMail } from './reset-mail.ts';
import { resetRequestPage } from './reset-request-page.tsx';

const ALLOWED = { isAllowed: true } as const;
const Change = t.Object({ pass: t.String(), ...NEW_PASSWORD });
const Request = t.Object({ name: t.String() });

/** Routes of the own password, and of requests for a link to a new one. */
export const passwordRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.password, ({ call }) => show(call), {
      check: { formats: PAGE_FORMATS },
    })
    .post(paths.password, ({ call, body }) => change(call, body), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: mayChange },
      body: Change,
    })
    .get(paths.passwordRequest, ({ call }) => seeOther(call, paths.password), {
      check: { formats: PAGE_FORMATS },
    })
    .post(paths.passwordRequest, ({ call, body }) => request(call, body.name), {
      check: { form: 'open', formats: PAGE_FORMATS, access: mayRequest },
      body: Request,
    });

function show(call: Call): Response {
  const { api, actor } = call;
  call.allow(ALLOWED);
  if (actor.isAuthenticated) return changePage(call, []);
  const data = { mayMail: api.mail !== undefined, name: '', isSent: false, problems: [] };
  return formAnswer(resetRequestPage(data, call.site));
}

function changePage(
  call: Call,
  problems: readonly FormProblem[],
  status = problems.length === 0 ? 200 : 422,
): Response {
  const { actor, site, formToken } = call;
  return formAnswer(passwordPage({ token: formToken, account: actor, problems }, site), status);
}

function mayChange(call: Call): void {
  if (!call.actor.isAuthenticated) throw call.refusal('');
  call.allow(ALLOWED);
}

async function change(call: Call, typed: Static<typeof Change>): Promise<Response> {
  const { api, actor } = call;
  const problems = newPasswordProblems(typed, actor.name);
  try {
    // Last: a try counts for the limits of signing in.
    const own = problems.length > 0 && typed.pass !== '' ? undefined : await ownPasswordProblem(call, typed.pass);
    if (own !== undefined) problems.unshift(own);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'too-many-requests') throw error;
    return changePage(call, [{ message: error.publicMessage }], statusOf(error.kind));
  }
  if (problems.length > 0) return changePage(call, problems);
  const account = await api.findAccount.byId(actor.id);
  if (account?.passwordHash === undefined) throw call.refusal('This account has no password.');
  const { stored, cookie } = newSession(call);
  const { id, name, passwordHash } = account;
  await changePassword(api.services, { id, name, passwordHash }, typed.pass_new, stored);
  const notice = 'Your password is changed, and your other sessions have ended.';
  return seeOther(call, entityPath.user(id), notice, { 'Set-Cookie': cookie });
}

function mayRequest(call: Call): void {
  call.allow(ALLOWED);
  if (call.api.mail === undefined)
    throw new ServiceError('not-found', 'This site sends no mails. An administrator can give you a link.');
}

async function request(call: Call, typed: string): Promise<Response> {
  const { api, site } = call;
  const name = typed.trim();
  const page = (isSent: boolean, problems: readonly FormProblem[], status: number) =>
    formAnswer(resetRequestPage({ mayMail: true, name, isSent, problems }, site), status);
  if (name === '') return page(false, [{ field: 'name', message: 'Enter your user name or mail address.' }], 422);
  try {
    const users = await requestReset(api.services, name, addressOf(api, call.request, call.peer));
    // Not awaited: the time of the answer must not tell whether there is an account. A failure is logged.
    for (const user of users) if (mayMail(api, user.row.mail)) void mailResetLink(api, user);
    return page(true, [], 200);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'too-many-requests') throw error;
    return page(false, [{ message: error.publicMessage }], statusOf(error.kind));
  }
}

/** Returns the page on which a user changes the own password. */
function passwordPage({ token, account, problems }: PasswordPageData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return formPage({
    site,
    heading: 'Change the password',
    lead: <p>Your sessions in other browsers will end, and programs need a new token. You stay signed in here.</p>,
    errors: problems,
    crumbs: <AccountCrumbs root={root} account={account} isManager={false} />,
    styles: ['account.css', 'cards.css'],
    modules: ['password.js'],
    children: (
      <form method="post" action={root + paths.password}>
        <FormToken token={token} />
        <KnownName name={account.name} />
        <CurrentPasswordField problems={problems} required />
        <NewPasswordFields problems={problems} />
        <ActionBar>
          <button class="button" type="submit">
            Change the password
          </button>
          <a href={root + entityPath.user(account.id)}>Cancel</a>
        </ActionBar>
      </form>
    ),
  });
}
