import { entityPath, pathOf, paths } from '../../paths.ts';

interface Props {
  readonly root: string;
  readonly account: { readonly id: number; readonly name: string };
}

/** The breadcrumbs of a page of an account, through the list of accounts for administrators. */
export function AccountCrumbs({ root, account, isManager }: Props & { readonly isManager: boolean }) {
  return (
    <nav aria-label="Part of">
      <ol class="way">
        {isManager && (
          <li>
            <a href={root + paths.users}>People</a>
          </li>
        )}
        <li>
          <a href={root + entityPath.user(account.id)}>
            <bdi>{account.name}</bdi>
          </a>
        </li>
      </ol>
    </nav>
  );
}

function cancelLabel(isOwn: boolean, isBlocked: boolean): string {
  if (isOwn) return 'Cancel the account';
  return isBlocked ? 'Unblock or delete the account' : 'Block or delete the account';
}

/** The rights of a caller on an account. */
export interface AccountRights {
  readonly isOwn: boolean;
  readonly mayManage: boolean;
  readonly mayCancel: boolean;
  readonly isBlocked: boolean;
}

/** Links to the pages of an account. */
export function AccountNavigation(props: Props & AccountRights & { readonly isEditing?: boolean }) {
  const { root, account, isOwn, mayManage, mayCancel, isBlocked, isEditing = false } = props;
  const links: [isShown: boolean, path: string, label: string][] = [
    [(isOwn || mayManage) && !isEditing, pathOf('userEdit', { user: account.id }), 'Edit the account'],
    [isOwn, paths.password, 'Change the password'],
    [
      mayManage && !isOwn && !isBlocked,
      pathOf('userResetLink', { user: account.id }),
      'Create a link to a new password',
    ],
    [isOwn || mayManage, pathOf('userSessions', { user: account.id }), 'Sessions'],
    [mayCancel, pathOf('userCancel', { user: account.id }), cancelLabel(isOwn, isBlocked)],
  ];
  const shown = links.filter(([isShown]) => isShown);
  if (shown.length === 0) return null;
  return (
    <nav aria-label="This account">
      <ul class="account-links">
        {shown.map(([, path, label]) => (
          <li key={path}>
            <a href={root + path}>{label}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
