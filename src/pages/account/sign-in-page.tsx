import { siteRoot } from '../../field-types/display/addresses.ts';
import { paths } from '../../paths.ts';
import type { PendingForm } from '../../web/form-names.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { TextInput } from '../forms/field.tsx';
import { formPage } from '../forms/form-page.tsx';

/** The page on which a user signs in. */
interface SignInData {
  /** The name that was typed. */
  readonly name?: string;
  /** The reason why a try has failed. */
  readonly problem?: string;
  /** The path that is opened then. */
  readonly address?: string;
  /** The form that was sent without a session, which is offered again. */
  readonly typed?: PendingForm | undefined;
  /** True if the caller opened a page that requires a user. */
  readonly isNeeded?: boolean;
}

/** Returns the page on which a user signs in. */
export function signInPage({ name, problem, address, typed, isNeeded }: SignInData, site: Site): HtmlPage {
  return formPage({
    site,
    heading: 'Sign in',
    lead: leadOf(typed, isNeeded ?? false, siteRoot(site.baseUrl) + paths.login),
    errors: problem === undefined ? [] : [{ field: 'name', message: problem }],
    children: (
      <form method="post" action={siteRoot(site.baseUrl) + paths.login}>
        {address !== undefined && <input type="hidden" name="address" value={address} />}
        {typed?.fields !== undefined && (
          <>
            <input type="hidden" name="typed_address" value={typed.address} />
            <input type="hidden" name="typed_fields" value={typed.fields} />
          </>
        )}
        <TextInput name="name" label="User name" value={name} autocomplete="username" spellcheck={false} required />
        <TextInput name="pass" label="Password" type="password" autocomplete="current-password" required />
        <p>
          <button class="button" type="submit">
            Sign in
          </button>
        </p>
        <p>
          <a href={siteRoot(site.baseUrl) + paths.password}>Forgotten your password?</a>
        </p>
      </form>
    ),
  });
}

function leadOf(typed: PendingForm | undefined, isNeeded: boolean, loginAddress: string) {
  if (typed !== undefined && typed.fields === undefined)
    return (
      <p>
        Your session has ended, and nothing has been saved yet. Your entries are too long for this page. To keep them,{' '}
        <a href={loginAddress} target="_blank" rel="noopener">
          sign in in another window
        </a>
        , then load this page again: your browser offers to send them once more.
      </p>
    );
  if (typed !== undefined)
    return (
      <p>
        Your session has ended, and nothing has been saved yet. Sign in again: your entries are kept, and you can save
        them then.
      </p>
    );
  return isNeeded ? <p>This page is for signed-in users.</p> : undefined;
}
