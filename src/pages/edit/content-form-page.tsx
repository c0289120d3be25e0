import { siteRoot } from '../../field-types/display/addresses.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { assetPath } from '../assets/assets.ts';
import { DataTable } from '../data-table.tsx';
import { FormFieldView } from '../forms/field-view.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import { BUTTON, type ContentForm, type FormField, type FormGroup, VERSION } from './content-form-data.ts';
import { OfferedFieldsList } from './offered-fields.tsx';

/** Returns the page of the form of content. */
export function contentFormPage(form: ContentForm, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { heading, action, token, version, groups, messages, conflict, isChanged, cancel, next, remove } = form;
  return formPage({
    site,
    heading,
    isWide: true,
    errors: messages,
    styles: ['fields.css'],
    modules: ['fields.js'],
    children: (
      <>
        {conflict && <Conflict conflict={conflict} />}
        <form
          method="post"
          action={root + action}
          data-keep={isChanged ? 'changed' : 'unchanged'}
          data-formats={JSON.stringify(form.formats)}
          data-editor={root + assetPath('squire.js')}
          data-structures={JSON.stringify(form.structures)}
          noValidate
        >
          {/* The return key presses the first button of a form. */}
          <button class="unseen" type="submit" name={BUTTON} value="view" tabIndex={-1} aria-hidden="true">
            {next ?? 'Save and view'}
          </button>
          <FormToken token={token} />
          {version !== undefined && <input type="hidden" name={VERSION} value={version} />}
          <div class="groups">
            {groups.map((group) => (
              <Group key={group.name} group={group} root={root} />
            ))}
          </div>
          <OfferedFieldsList offered={form.offered} />
          <ActionBar>
            <button class="button" type="submit" name={BUTTON} value="view">
              {next ?? 'Save and view'}
            </button>
            {next === undefined && (
              <button class="button quiet" type="submit" name={BUTTON} value="save">
                Save
              </button>
            )}
            {next === undefined && (
              <button class="button quiet" type="submit" name={BUTTON} value="preview">
                Preview
              </button>
            )}
            <a href={root + cancel}>Cancel</a>
            {remove && (
              <a class="remove" href={root + remove}>
                Delete
              </a>
            )}
            <span class="state" role="status" />
          </ActionBar>
        </form>
      </>
    ),
  });
}

function Group({ group: { name, label, fields }, root }: { group: FormGroup; root: string }) {
  return (
    <section class="group" aria-label={label} data-group={name}>
      <h2>{label}</h2>
      <div class="group-fields">
        {fields.map((field) => (
          <div
            key={field.name}
            class={isWide(field) ? 'form-field wide' : 'form-field'}
            data-name={field.name}
            data-unsuited={field.unsuited}
          >
            <FormFieldView field={field} root={root} />
          </div>
        ))}
      </div>
    </section>
  );
}

/** True for a field that takes both columns. A date has its meaning in words beside it. */
function isWide({ controls, isBrief }: FormField): boolean {
  if (controls.length > 1) return true;
  return controls.some(({ kind, ...control }) => (kind === 'lines' && !isBrief) || 'meaning' in control);
}

/** Says that someone else has saved the content meanwhile, and what differs. */
function Conflict({ conflict: { by, changes } }: { conflict: NonNullable<ContentForm['conflict']> }) {
  return (
    <section class="warning" aria-labelledby="conflict-title" tabIndex={-1} data-focus>
      <h2 id="conflict-title">{by === undefined ? 'Someone else' : <bdi>{by}</bdi>} has saved this meanwhile</h2>
      <p>Nothing of yours is saved yet. If you save now, your values replace those that differ:</p>
      <DataTable label="What differs" class="rows" heads={['Field', 'Saved', 'Yours']}>
        {changes.map(({ label, saved, typed }) => (
          <tr key={label}>
            <th scope="row">{label}</th>
            <td dir="auto">{saved || <Nothing />}</td>
            <td dir="auto">{typed || <Nothing />}</td>
          </tr>
        ))}
      </DataTable>
    </section>
  );
}

function Nothing() {
  return <span class="soft">empty</span>;
}
