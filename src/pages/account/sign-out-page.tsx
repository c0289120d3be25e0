import { siteRoot } from '../../field-types/display/addresses.ts';
import { paths } from '../../paths.ts';
import type { Site } from '../../web/site.ts';
import { formPage } from '../forms/form-page.tsx';
import type { HtmlPage } from '../layout.tsx';

/** The page on which a user signs out. */
export interface SignOutData {
  /** The `logout_token` of the session. Undefined for a caller who sends a password or a token with each request. */
  readonly token: string | undefined;
}

/** Returns the page on which a user signs out. */
export function signOutPage({ token }: SignOutData, site: Site): HtmlPage {
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
