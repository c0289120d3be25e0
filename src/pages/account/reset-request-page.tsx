import { siteRoot } from '../../field-types/display/addresses.ts';
import { paths } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { errorOf } from '../forms/error-summary.tsx';
import { TextInput } from '../forms/field.tsx';
import { formPage } from '../forms/form-page.tsx';
import type { ResetRequestData } from './account-data.ts';

const HEADING = 'Forgotten password';

/** Returns the page on which a visitor asks for a link to a new password. */
export function resetRequestPage({ mayMail, name, isSent, problems }: ResetRequestData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const signIn = <a href={root + paths.login}>Sign in</a>;
  if (!mayMail)
    return formPage({
      site,
      heading: HEADING,
      children: (
        <>
          <p>An administrator of this site can give you a link with which you choose a new password.</p>
          <p>{signIn}</p>
        </>
      ),
    });
  if (isSent)
    return formPage({
      site,
      heading: 'Look into your mailbox',
      children: (
        <>
          <p>
            If there is an account with the name or mail address <bdi>{name}</bdi>, a link to a new password is on its
            way to its mail address. It is valid for 24 hours.
          </p>
          <p>No mail after a few minutes? Look among unwanted mail, or ask an administrator of this site for a link.</p>
          <p>{signIn}</p>
        </>
      ),
    });
  return formPage({
    site,
    heading: HEADING,
    lead: <p>You get a mail with a link to a page on which you choose a new password.</p>,
    errors: problems,
    children: (
      <form method="post" action={root + paths.passwordRequest}>
        <TextInput
          name="name"
          label="User name or mail address"
          value={name}
          autocomplete="username"
          spellcheck={false}
          error={errorOf(problems, 'name')}
          required
        />
        <p>
          <button class="button" type="submit">
            Send me a link
          </button>
        </p>
      </form>
    ),
  });
}
