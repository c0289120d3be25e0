import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath } from '../../paths.ts';
import type { BlockData } from '../../representation/account-page-data.ts';
import { userPagePath } from '../../representation/account-paths.ts';
import type { Site } from '../../representation/page-data.ts';
import { numberText } from '../cards/counted-items.ts';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import type { HtmlPage } from '../layout.tsx';
import { AccountCrumbs } from './account-ways.tsx';

/** Returns the page on which an account is blocked or unblocked. */
export function blockPage({ token, account, isBlocked, nodes, media, problems }: BlockData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const name = <bdi>{account.name}</bdi>;
  return formPage({
    site,
    heading: isBlocked ? `Unblock ${account.name}` : `Block ${account.name}`,
    errors: problems,
    crumbs: <AccountCrumbs root={root} account={account} isManager />,
    styles: ['cards.css'],
    children: (
      <form method="post" action={root + userPagePath('userCancel', account.id)}>
        <FormToken token={token} />
        {isBlocked ? (
          <p>{name} can sign in again then, with the same password and the same roles.</p>
        ) : (
          <div class="warning">
            <p>
              {name} cannot sign in any more. All sessions end at once, and tokens and reset links become invalid. You
              can unblock the account at any time.
            </p>
            <p>
              Nothing is deleted: {name} owns {counted(nodes, 'item', 'items')} and {counted(media, 'media', 'media')},
              which stay as they are.
            </p>
          </div>
        )}
        <ActionBar>
          <button
            class={isBlocked ? 'button' : 'button danger'}
            type="submit"
            name="status"
            value={isBlocked ? 'active' : 'blocked'}
          >
            {isBlocked ? 'Unblock the account' : 'Block the account'}
          </button>
          <a href={root + entityPath.user(account.id)}>Cancel</a>
        </ActionBar>
      </form>
    ),
  });
}

const counted = (count: number, one: string, many: string) => `${numberText(count)} ${count === 1 ? one : many}`;
