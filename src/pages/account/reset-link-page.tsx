import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import { CopyButton } from '../item/copy-button.tsx';
import type { ResetLinkData } from './account-data.ts';
import { AccountCrumbs } from './account-navigation.tsx';
import { CurrentPasswordField, KnownName } from './new-password-fields.tsx';

/** Returns the page on which an administrator creates a reset link, or the one that shows it. */
export function resetLinkPage(data: ResetLinkData, site: Site): HtmlPage {
  const { account, link, problems, isNew } = data;
  const root = siteRoot(site.baseUrl);
  const crumbs = <AccountCrumbs root={root} account={account} isManager />;
  const name = <bdi>{account.name}</bdi>;
  if (link === undefined)
    return formPage({
      site,
      heading: `A link to a new password for ${account.name}`,
      lead: (
        <p>
          With the link, {name} chooses a password and is signed in. It is valid for 24 hours and for one change. An
          earlier link of this account becomes invalid.
        </p>
      ),
      errors: problems,
      crumbs,
      styles: ['account.css', 'cards.css'],
      modules: data.isOwn ? ['password.js'] : [],
      children: data.isBlocked ? (
        <p>
          The account is blocked. <a href={root + pathOf('userCancel', { user: account.id })}>Unblock it</a> first.
        </p>
      ) : (
        <ResetLinkForm {...data} root={root} />
      ),
    });
  return formPage({
    site,
    heading: isNew ? `${account.name} is added` : `The link for ${account.name}`,
    lead: (
      <p>
        Give this link to {name} in a way that nobody else can read. It is valid for 24 hours and for one change, and is
        shown only now.
      </p>
    ),
    crumbs,
    styles: ['account.css', 'cards.css', 'item.css'],
    modules: ['copy.js'],
    children: (
      <>
        <p class="made-link">
          <span id="made-link">{link}</span>
          <CopyButton copies="made-link" what="the link" />
        </p>
        <p>
          <a href={root + entityPath.user(account.id)}>Account of {name}</a> · <a href={root + paths.users}>People</a>
        </p>
      </>
    ),
  });
}

function ResetLinkForm(data: ResetLinkData & { readonly root: string }) {
  const { token, account, mail, mayMail, isOwn, problems, root } = data;
  return (
    <form method="post" action={root + pathOf('userResetLink', { user: account.id })}>
      <FormToken token={token} />
      {!mayMail && (
        <p class="soft">
          {mail === null
            ? 'The account has no mail address, so that the link can only be shown here.'
            : 'This site has no mail server, so that the link can only be shown here.'}
        </p>
      )}
      {isOwn && (
        <>
          <KnownName name={account.name} />
          <CurrentPasswordField problems={problems} required />
        </>
      )}
      <ActionBar>
        {mayMail && (
          <button class="button" type="submit" name="by" value="mail">
            Mail the link to {mail}
          </button>
        )}
        <button class={mayMail ? 'button quiet' : 'button'} type="submit" name="by" value="page">
          Show the link here
        </button>
        <a href={root + entityPath.user(account.id)}>Cancel</a>
      </ActionBar>
    </form>
  );
}
