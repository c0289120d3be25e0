import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { errorOf } from '../forms/error-summary.tsx';
import { Select, TextInput } from '../forms/field.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import type { EditAccountData } from './account-data.ts';
import { AccountCrumbs, AccountNavigation } from './account-navigation.tsx';
import { NameField } from './name-field.tsx';
import { CurrentPasswordField, KnownName } from './new-password-fields.tsx';
import { RoleFields } from './role-fields.tsx';

const STATUSES = [
  { value: 'active', label: 'Active' },
  { value: 'blocked', label: 'Blocked' },
];

/** Returns the form of an account: all of it for administrators, the mail address for its owner. */
export function editAccountPage(data: EditAccountData, site: Site): HtmlPage {
  const { token, account, version, roles, isOwn, problems, values } = data;
  const root = siteRoot(site.baseUrl);
  const isManager = roles !== undefined;
  return formPage({
    site,
    heading: `Edit the account ${account.name}`,
    lead: (
      <AccountNavigation
        root={root}
        account={account}
        isOwn={isOwn}
        mayManage={isManager}
        mayCancel={false}
        isBlocked={values.isBlocked}
        isEditing
      />
    ),
    errors: problems,
    crumbs: <AccountCrumbs root={root} account={account} isManager={isManager} />,
    styles: ['account.css', 'cards.css'],
    modules: ['password.js'],
    children: (
      <form
        method="post"
        action={root + pathOf('userEdit', { user: account.id })}
        data-keep={problems.length > 0 ? 'changed' : ''}
      >
        <FormToken token={token} />
        <input type="hidden" name="version" value={version} />
        {isManager ? <ManagerFields {...data} roles={roles} /> : <OwnerFields {...data} />}
        <ActionBar>
          <button class="button" type="submit">
            Save
          </button>
          <a href={root + entityPath.user(account.id)}>Cancel</a>
          <span class="state" role="status" />
        </ActionBar>
      </form>
    ),
  });
}

function MailField({ values, problems, pendingMail }: EditAccountData) {
  return (
    <TextInput
      name="mail"
      label="Mail address"
      help={
        <>
          For a link to a new password. Only the user and administrators see it.
          {pendingMail !== undefined && (
            <>
              {' '}
              <bdi>{pendingMail}</bdi> waits to be confirmed by the link that was sent there.
            </>
          )}
        </>
      }
      type="email"
      value={values.mail}
      autocomplete="email"
      error={errorOf(problems, 'mail')}
    />
  );
}

function OwnerFields(data: EditAccountData) {
  return (
    <>
      <MailField {...data} />
      <OwnPassword {...data} />
    </>
  );
}

/** The present password of the owner of the account. */
function OwnPassword({ account, problems }: EditAccountData) {
  return (
    <>
      <KnownName name={account.name} />
      <CurrentPasswordField problems={problems} help="To change the mail address." />
    </>
  );
}

function ManagerFields(data: EditAccountData & { readonly roles: NonNullable<EditAccountData['roles']> }) {
  const { values, roles, isOwn, problems } = data;
  return (
    <>
      <NameField value={values.name} problems={problems} />
      <MailField {...data} />
      <RoleFields roles={roles} held={values.roles} problems={problems} />
      {isOwn && <OwnPassword {...data} />}
      {!isOwn && (
        <Select
          name="status"
          label="Status"
          help="A blocked user cannot sign in, and is signed out everywhere. The content of the user stays."
          value={values.isBlocked ? 'blocked' : 'active'}
          options={STATUSES}
          error={errorOf(problems, 'status')}
        />
      )}
    </>
  );
}
