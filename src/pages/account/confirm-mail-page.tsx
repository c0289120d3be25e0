import { siteRoot } from '../../field-types/display/addresses.ts';
import { paths } from '../../paths.ts';
import { mailConfirmPath } from '../../representation/account-paths.ts';
import type { Site } from '../../web/site.ts';
import { formPage } from '../forms/form-page.tsx';
import type { HtmlPage } from '../layout.tsx';
import type { ConfirmMailData } from './account-data.ts';
import { invalidLinkPage } from './invalid-link-page.tsx';

/** Returns the page to which the link for a new mail address leads. */
export function confirmMailPage({ token, change }: ConfirmMailData, site: Site): HtmlPage {
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
      <form method="post" action={root + mailConfirmPath(token)}>
        <p>
          <button class="button" type="submit">
            Confirm the address
          </button>
        </p>
      </form>
    ),
  });
}
