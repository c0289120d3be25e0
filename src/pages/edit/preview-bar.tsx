import { siteRoot } from '../../field-types/display/addresses.ts';
import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import type { AssetName } from '../assets/assets.ts';
import type { Preview } from '../content/shown-content.ts';
import { CarriedFields } from '../forms/carried-fields.tsx';
import { FormToken } from '../forms/form-page.tsx';
import type { View } from '../view.ts';
import { BUTTON } from './content-form-data.ts';

/** Maximum number of new terms that the bar names: it stays in sight. */
const MAX_NAMED_TERMS = 5;

/** The files that a page of content loads to be a preview. */
export const PREVIEW_ASSETS = {
  styles: ['preview.css'],
  modules: ['form.js'],
} as const satisfies Record<string, readonly AssetName[]>;

/** The head of a preview, which search engines do not list. */
export function PreviewHead() {
  return <meta name="robots" content="noindex" />;
}

/** Returns the title of a preview. */
export function previewTitle(label: string): string {
  return `Preview: ${label}`;
}

/** Says that a page shows typed values which are not saved, and leads back to their form, or saves them. */
export function PreviewBar({ preview, view }: { readonly preview: Preview; readonly view: View }) {
  const { action, token, fields, newTerms } = preview;
  return (
    <section
      class="preview-bar"
      aria-label="Preview"
      tabIndex={-1}
      data-focus
      {...langWithin(PAGE_LANGUAGE, view.language)}
    >
      <form class="wrap" method="post" action={siteRoot(view.source.baseUrl) + action} data-keep="changed">
        <div>
          <p>
            <strong>This is a preview; nothing has been saved.</strong>
          </p>
          {newTerms.length > 0 && (
            <p>
              Create {newTerms.length === 1 ? 'this term' : 'these terms'} in the form before you save:{' '}
              {newTerms.slice(0, MAX_NAMED_TERMS).map((name, at) => (
                <>
                  {at > 0 && ', '}
                  <bdi key={name}>{name}</bdi>
                </>
              ))}
              {newTerms.length > MAX_NAMED_TERMS && ` and ${newTerms.length - MAX_NAMED_TERMS} more`}
            </p>
          )}
        </div>
        <CarriedFields fields={fields} />
        <FormToken token={token} />
        <div class="buttons">
          <button class="button quiet" type="submit" name={BUTTON} value="edit">
            Back to editing
          </button>
          <button class="button" type="submit" name={BUTTON} value="view">
            Save
          </button>
        </div>
      </form>
    </section>
  );
}
