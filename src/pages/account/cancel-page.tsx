import type { ComponentChildren } from 'preact';
import { countInWords } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { errorOf } from '../forms/error-summary.tsx';
import { TextInput } from '../forms/field.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import type { AccountEnd, CancelData } from './account-data.ts';
import { AccountCrumbs } from './account-navigation.tsx';
import { CurrentPasswordField, KnownName } from './new-password-fields.tsx';

/** Returns the page that blocks, unblocks or deletes an account, or on which users cancel their own. */
export function cancelPage(data: CancelData, site: Site): HtmlPage {
  const { token, account, isOwn, isBlocked, problems } = data;
  const root = siteRoot(site.baseUrl);
  const verb = isBlocked ? 'Unblock' : 'Block';
  return formPage({
    site,
    heading: isOwn ? 'Cancel your account' : `${verb} or delete ${account.name}`,
    errors: problems,
    crumbs: <AccountCrumbs root={root} account={account} isManager={!isOwn} />,
    styles: ['account.css', 'cards.css'],
    modules: isOwn ? ['password.js'] : [],
    children: (
      <form method="post" action={root + pathOf('userCancel', { user: account.id })}>
        <FormToken token={token} />
        {isOwn ? <OwnEnd {...data} /> : <Choices {...data} />}
        <ActionBar>
          <button class="button danger" type="submit">
            {isOwn ? 'Cancel my account' : 'Continue'}
          </button>
          <a href={root + entityPath.user(account.id)}>{isOwn ? 'Keep the account' : 'Cancel'}</a>
        </ActionBar>
      </form>
    ),
  });
}

function OwnEnd({ account, nodes, media, problems }: CancelData) {
  return (
    <>
      <div class="warning">
        <p>
          You are signed out everywhere and can no longer sign in. Tokens of programs become invalid. Only an
          administrator can unblock the account, or delete it with your name and mail address.
        </p>
        {nodes + media > 0 && <p>Your {owned(nodes, media)} stay as they are.</p>}
      </div>
      <input type="hidden" name="status" value="blocked" />
      <KnownName name={account.name} />
      <CurrentPasswordField problems={problems} required />
    </>
  );
}

function Choices({ account, isBlocked, chosen, nodes, media, problems }: CancelData) {
  const name = <bdi>{account.name}</bdi>;
  return (
    <>
      <p>
        {name} owns {owned(nodes, media)}, which stay as they are.
      </p>
      <fieldset id="status" tabIndex={-1}>
        <legend>What becomes of the account</legend>
        {isBlocked ? (
          <Choice value="active" chosen={chosen} label="Unblock the account">
            {name} can sign in again then, with the same password and the same roles.
          </Choice>
        ) : (
          <Choice value="blocked" chosen={chosen} label="Block the account">
            {name} can no longer sign in. All sessions end at once, and tokens and reset links become invalid. You can
            unblock the account at any time.
          </Choice>
        )}
        <Choice value="deleted" chosen={chosen} label="Delete the account">
          Erases name, mail address, password and roles, and ends all sessions. Content and its history name “Deleted
          user {account.id}” instead. This cannot be undone.
        </Choice>
      </fieldset>
      <TextInput
        name="name"
        label="User name"
        help={<>Only to delete the account: enter {name} to confirm it.</>}
        autocomplete="off"
        spellcheck={false}
        error={errorOf(problems, 'name')}
      />
    </>
  );
}

interface ChoiceProps {
  readonly value: AccountEnd;
  readonly chosen: AccountEnd;
  readonly label: string;
  readonly children: ComponentChildren;
}

function Choice({ value, chosen, label, children }: ChoiceProps) {
  const id = `status-${value}`;
  return (
    <div class="field check">
      <input
        type="radio"
        name="status"
        id={id}
        value={value}
        checked={value === chosen}
        aria-describedby={`${id}-help`}
      />
      <label for={id}>{label}</label>
      <p class="help" id={`${id}-help`}>
        {children}
      </p>
    </div>
  );
}

function owned(nodes: number, media: number): string {
  return `${countInWords(nodes, 'item', 'items')} and ${countInWords(media, 'media', 'media')}`;
}
