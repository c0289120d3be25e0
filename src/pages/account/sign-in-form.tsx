import { csrfToken, logoutToken } from '../../auth/session-token.ts';
import { malformed, ServiceError } from '../../base/errors.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { statusOf } from '../../http/error-status.ts';
import { entityPath, paths } from '../../paths.ts';
import { ownAddress } from '../../web/address-within.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { beginSession, NOT_BASIC } from '../../web/begin-session.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import type { PendingForm } from '../../web/form-names.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { pageUser } from '../../web/page-user.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { formPage } from '../forms/form-page.tsx';
import { sendAgainPage } from './send-again-page.tsx';
import { signInPage } from './sign-in-page.tsx';

/** The routes of the pages to sign in and to sign out. */
export const signInRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.login, ({ call }) => showSignIn(call), {
      check: { authentication: NOT_BASIC, formats: PAGE_FORMATS },
    })
    .get(paths.logout, ({ call }) => showSignOut(call), {
      check: { authentication: NOT_BASIC, formats: PAGE_FORMATS },
    });

/** The fields of the form to sign in, beside name and password. */
export interface SignInForm {
  /** The path that is opened then. */
  readonly address: string | undefined;
  /** The form that is offered again then. */
  readonly typed: PendingForm | undefined;
}

export function readSignInForm(fields: URLSearchParams): SignInForm {
  const address = ownAddress(fields.get('typed_address') ?? undefined);
  const typed = fields.get('typed_fields');
  return {
    address: ownAddress(fields.get('address') ?? undefined),
    typed: address === undefined || typed === null ? undefined : { address, fields: typed },
  };
}

/** Answers the page to sign in. It leads back to the page of this site from which the caller came. */
function showSignIn(call: Call): Response {
  const { actor, request, baseUrl, site } = call;
  if (actor.isAuthenticated) return seeOther(call, entityPath.user(actor.id));
  const referrer = request.headers.get('referer') ?? '';
  const address = referrer.startsWith(`${baseUrl}/`) ? ownAddress(referrer.slice(baseUrl.length)) : undefined;
  const isWayOut = address === undefined || address.startsWith(paths.login) || address.startsWith(paths.logout);
  return formAnswer(signInPage(isWayOut ? {} : { address }, site));
}

/** Signs in by the form of a page. An invalid one is answered with the form, and the name that was typed. */
export async function signInByForm(
  call: Call,
  { name, pass }: { readonly name: string; readonly pass: string },
  { address, typed }: SignInForm,
): Promise<Response> {
  const { api, site } = call;
  try {
    if (name === '') throw malformed('Enter your user name.');
    if (pass === '') throw malformed('Enter your password.');
    const { id, user, cookie } = await beginSession(call, name, pass);
    const headers = { 'Set-Cookie': cookie };
    if (typed?.fields === undefined) return seeOther(call, address ?? entityPath.user(user.id), undefined, headers);
    const signedIn = { ...site, user: pageUser(api, api.makeActor(user)) };
    return formAnswer(
      sendAgainPage({ ...typed, fields: typed.fields, token: csrfToken(id, api.secret) }, signedIn),
      200,
      headers,
    );
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const page = signInPage({ name, typed, problem: error.publicMessage, ...(address && { address }) }, site);
    return formAnswer(page, statusOf(error.kind), error.headers);
  }
}

/** Answers the page to sign out. */
function showSignOut(call: Call): Response {
  const { api, actor, identity, site } = call;
  const { sessionId } = identity;
  if (!actor.isAuthenticated) return seeOther(call, paths.home);
  return formAnswer(signOutPage({ token: sessionId && logoutToken(sessionId, api.secret) }, site));
}

/** The page on which a user signs out. */
interface SignOutData {
  /** The `logout_token` of the session. Undefined for a caller who sends a password or a token with each request. */
  readonly token: string | undefined;
}

/** Returns the page on which a user signs out. */
function signOutPage({ token }: SignOutData, site: Site): HtmlPage {
  const name = <bdi>{site.user?.name}</bdi>;
  if (token === undefined)
    return formPage({
      site,
      heading: 'Sign out',
      children: (
        <p>
          You are {name}: your browser sends your password with each request. Close it to sign out, and use the page
          “Sign in” the next time.
        </p>
      ),
    });
  return formPage({
    site,
    heading: 'Sign out',
    lead: <p>You are signed in as {name}. Your sessions in other browsers stay.</p>,
    children: (
      <form method="post" action={`${siteRoot(site.baseUrl)}${paths.logout}?token=${encodeURIComponent(token)}`}>
        <p>
          <button class="button" type="submit">
            Sign out
          </button>
        </p>
      </form>
    ),
  });
}
