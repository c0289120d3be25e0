import { siteRoot } from '../../field-types/display/addresses.ts';
import { paths } from '../../paths.ts';
import { resetPath } from '../../representation/account-paths.ts';
import type { Site } from '../../web/site.ts';
import { formPage } from '../forms/form-page.tsx';
import type { HtmlPage } from '../layout.tsx';
import type { NewPasswordData } from './account-data.ts';
import { invalidLinkPage } from './invalid-link-page.tsx';
import { KnownName, NewPasswordFields } from './new-password-fields.tsx';

/** Returns the page to which a reset link leads. */
export function newPasswordPage({ token, name, problems }: NewPasswordData, site: Site): HtmlPage {
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
      <form method="post" action={root + resetPath(token)}>
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
