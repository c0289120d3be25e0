import { MIN_PASSWORD_CHARS } from '../../auth/password-policy.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { paths } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { errorOf } from '../forms/error-summary.tsx';
import { FieldNotes, TextInput } from '../forms/field.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import type { Invitation, NewAccountData } from './account-data.ts';
import { NameField } from './name-field.tsx';
import { RoleFields } from './role-fields.tsx';

/** Returns the form for a new account. */
export function newAccountPage(data: NewAccountData, site: Site): HtmlPage {
  const { token, values, roles, problems } = data;
  const root = siteRoot(site.baseUrl);
  return formPage({
    site,
    heading: 'Add a person',
    errors: problems,
    crumbs: (
      <nav aria-label="Part of">
        <ol class="way">
          <li>
            <a href={root + paths.users}>People</a>
          </li>
        </ol>
      </nav>
    ),
    styles: ['account.css', 'cards.css'],
    modules: ['password.js'],
    children: (
      <form method="post" action={root + paths.userAdd} data-keep={problems.length > 0 ? 'changed' : ''}>
        <FormToken token={token} />
        <NameField value={values.name} problems={problems} />
        <TextInput
          name="mail"
          label="Mail address"
          help="Only the user and administrators see it."
          type="email"
          value={values.mail}
          autocomplete="off"
          error={errorOf(problems, 'mail')}
        />
        <RoleFields roles={roles} held={values.roles} problems={problems} />
        <Invitations {...data} />
        <ActionBar>
          <button class="button" type="submit">
            Add the person
          </button>
          <a href={root + paths.users}>Cancel</a>
          <span class="state" role="status" />
        </ActionBar>
      </form>
    ),
  });
}

function Invitations({ invitation, mayMail, problems }: NewAccountData) {
  const choices: [value: Invitation, label: string][] = [
    ['link', 'By a link that I pass on: it is shown after adding the person'],
    ...(mayMail ? ([['mail', 'By a link that is sent to the mail address']] as [Invitation, string][]) : []),
    ['password', 'I choose the password'],
  ];
  return (
    <>
      <fieldset id="invitation" tabIndex={-1}>
        <legend>How the person gets a password</legend>
        <FieldNotes name="invitation" error={errorOf(problems, 'invitation')} />
        {choices.map(([value, label]) => (
          <div key={value} class="field check">
            <input
              type="radio"
              name="invitation"
              id={`invitation-${value}`}
              value={value}
              checked={value === invitation}
            />
            <label for={`invitation-${value}`}>{label}</label>
          </div>
        ))}
      </fieldset>
      <TextInput
        name="pass_new"
        label="Password"
        help={`Only if you choose the password: at least ${MIN_PASSWORD_CHARS} characters. Leave it empty otherwise.`}
        type="password"
        autocomplete="new-password"
        error={errorOf(problems, 'pass_new')}
      />
    </>
  );
}
