import { siteRoot } from '../../field-types/display/addresses.ts';
import type { Site } from '../../web/site.ts';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import type { HtmlPage } from '../layout.tsx';

/** The form that deletes content. */
export interface DeleteForm {
  /** The name of what is deleted. */
  readonly label: string;
  /** The kind of content: `Repository Item`. */
  readonly kind: string;
  /** Sentences about what is lost, and about what stays. */
  readonly effects: readonly string[];
  readonly action: string;
  readonly token: string;
  readonly cancel: string;
}

/** Returns the page of the form that deletes content. */
export function deletePage({ label, kind, effects, action, token, cancel }: DeleteForm, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return formPage({
    site,
    heading: `Delete ${label}`,
    children: (
      <form method="post" action={root + action}>
        <FormToken token={token} />
        <div class="warning">
          <p>
            <strong>This cannot be undone.</strong> The {kind} “<bdi>{label}</bdi>” is deleted permanently.
          </p>
          <ul>
            {effects.map((effect) => (
              <li key={effect}>{effect}</li>
            ))}
          </ul>
        </div>
        <ActionBar>
          <button class="button danger" type="submit">
            Delete permanently
          </button>
          <a href={root + cancel}>Cancel</a>
        </ActionBar>
      </form>
    ),
  });
}
