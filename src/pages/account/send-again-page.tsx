import { siteRoot } from '../../field-types/display/addresses.ts';
import type { PendingForm } from '../../web/form-names.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { CarriedFields } from '../forms/carried-fields.tsx';
import { FormToken, formPage } from '../forms/form-page.tsx';

/** A form that is offered again: what was typed, and the token of the present session. */
interface SendAgainData extends PendingForm {
  readonly fields: string;
  readonly token: string;
}

/** Returns the page that offers a form again which was opened in a session that has ended. */
export function sendAgainPage({ address, fields, token }: SendAgainData, site: Site): HtmlPage {
  const typed = [...new URLSearchParams(fields)];
  return formPage({
    site,
    heading: 'Your entries are still here',
    lead: (
      <p>
        The session in which you opened the form has ended, so that nothing has been saved yet. You are signed in as{' '}
        <bdi>{site.user?.name}</bdi> now.
      </p>
    ),
    children: (
      <form method="post" action={siteRoot(site.baseUrl) + address}>
        <CarriedFields fields={typed} />
        <FormToken token={token} />
        <p>
          <button class="button" type="submit">
            Save my entries
          </button>
        </p>
      </form>
    ),
  });
}
