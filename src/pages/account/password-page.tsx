import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, paths } from '../../paths.ts';
import type { Site } from '../../web/site.ts';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import type { HtmlPage } from '../layout.tsx';
import type { PasswordPageData } from './account-data.ts';
import { AccountCrumbs } from './account-ways.tsx';
import { CurrentPasswordField, KnownName, NewPasswordFields } from './new-password-fields.tsx';

/** Returns the page on which a user changes the own password. */
export function passwordPage({ token, account, problems }: PasswordPageData, site: Site): HtmlPage {
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
