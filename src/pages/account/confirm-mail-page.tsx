import { Type as t } from '@sinclair/typebox';
import { isSessionId } from '../../auth/session-token.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import { confirmMail, findMailChange } from '../../repository/users/mail-change.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { formPage } from '../forms/form-page.tsx';
import type { ConfirmMailData } from './account-data.ts';
import { invalidLinkPage } from './invalid-link-page.tsx';

const ALLOWED = { isAllowed: true } as const;
const Token = t.Object({ token: t.String({ description: 'The token of a link that confirms a mail address.' }) });
/** The address is a secret, which no other page may learn. */
const HEADERS = { 'Referrer-Policy': 'no-referrer' };

/** Routes of the page to which a link for a new mail address leads. Mail scanners open links: only the form confirms. */
export const mailChangeRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.mailConfirm, ({ call }) => show(call), {
      check: { formats: PAGE_FORMATS },
      params: Token,
    })
    .post(paths.mailConfirm, ({ call }) => confirm(call), {
      check: { form: 'open', formats: PAGE_FORMATS, access: (call: Call) => call.allow(ALLOWED) },
      params: Token,
      body: t.Object({}),
    });

/** Answers the form, or 404 with the reason for an invalid link. */
async function show(call: Call): Promise<Response> {
  call.allow(ALLOWED);
  const { api, site } = call;
  const { token = '' } = call.params;
  const change = isSessionId(token) ? await findMailChange(api.services, token) : undefined;
  return formAnswer(confirmMailPage({ token, change }, site), change === undefined ? 404 : 200, HEADERS);
}

async function confirm(call: Call): Promise<Response> {
  const { token = '' } = call.params;
  const change = await confirmMail(call.api.services, token);
  if (change === undefined) return show(call);
  const isOwn = call.actor.id === change.userId;
  const notice = `${change.mail} is the mail address of ${change.name} now.`;
  return seeOther(call, isOwn ? entityPath.user(change.userId) : paths.login, notice, HEADERS);
}

/** Returns the page to which the link for a new mail address leads. */
function confirmMailPage({ token, change }: ConfirmMailData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  if (change === undefined) return invalidLinkPage(site, <a href={root + paths.login}>Sign in</a>);
  return formPage({
    site,
    heading: 'Confirm the mail address',
    lead: (
      <p>
        <bdi>{change.mail}</bdi> becomes the mail address of the account <bdi>{change.name}</bdi>. Links to a new
        password are sent there then.
      </p>
    ),
    children: (
      <form method="post" action={root + pathOf('mailConfirm', { token })}>
        <p>
          <button class="button" type="submit">
            Confirm the address
          </button>
        </p>
      </form>
    ),
  });
}
