import { siteRoot } from '../../field-types/display/addresses.ts';
import { paths } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { assetPath } from '../assets/assets.ts';
import { BUTTON, type ContentForm, type FormField } from '../edit/content-form-data.ts';
import { errorOf, type FormProblem } from '../forms/error-summary.tsx';
import { Checkbox, Select, TextInput } from '../forms/field.tsx';
import { FormFieldView } from '../forms/field-view.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import type { BulkSelection } from './bulk-data.ts';
import type { PreviewData } from './gather-preview.ts';
import { ManageTabs } from './manage-tabs.tsx';
import { countedEntries } from './manage-words.ts';
import { changesNothing, PreviewTable } from './preview-table.tsx';
import { SHOWN, shownForm, type ValuesEntries } from './read-values.ts';
import { SelectedItems, SelectionInputs } from './selected-items.tsx';
import { OPERATION_LABELS } from './values-fields.ts';

/** The page of a change of values. */
export interface ValuesPageData {
  readonly selection: BulkSelection;
  readonly count: number;
  /** The first selected items. */
  readonly first: readonly { readonly id: number; readonly label: string }[];
  readonly entries: ValuesEntries;
  /** The fields of the values, for the chosen field and operation. Undefined until both are chosen. */
  readonly fields: readonly FormField[] | undefined;
  readonly formats: ContentForm['formats'];
  readonly preview: PreviewData | undefined;
  /** Tells the previewed change from one that was changed since. */
  readonly fingerprint: string | undefined;
  readonly problems: readonly FormProblem[];
  /** Undefined for a caller without a session, who cannot use the form. */
  readonly token: string | undefined;
  readonly back: string;
}

/** The name of the field with the fingerprint of the previewed change. */
export const PREVIEWED = 'previewed';

/** Returns the page on which values of many items are changed: the field, the change, its preview, and its confirmation. */
export function valuesPage(data: ValuesPageData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { selection, count, first, entries, fields, preview, problems, token, back } = data;
  const items = countedEntries(count, selection.kind);
  const heading = preview === undefined ? `Change a field of ${items}` : `Change “${entries.field?.definition.label}”`;
  return formPage({
    site,
    heading,
    errors: problems,
    isWide: true,
    styles: ['fields.css', 'table.css', 'manage.css'],
    modules: ['fields.js'],
    children: (
      <>
        <ManageTabs site={site} root={root} />
        {fields === undefined && <SelectedItems first={first} count={count} kind={selection.kind} root={root} />}
        {preview !== undefined && <PreviewTable preview={preview} kind={selection.kind} root={root} />}
        {count > 0 && token !== undefined && <ValuesForm data={data} root={root} token={token} />}
        {token === undefined && (
          <p>
            This form requires a session: <a href={root + paths.login}>sign in</a>.
          </p>
        )}
        {count === 0 && (
          <p>
            <a href={root + back}>Back to the list</a>
          </p>
        )}
      </>
    ),
  });
}

interface FormProps {
  readonly data: ValuesPageData;
  readonly root: string;
  readonly token: string;
}

function ValuesForm({ data, root, token }: FormProps) {
  const { selection, count, entries, fields, formats, preview, fingerprint, back } = data;
  const isReady = preview !== undefined && !changesNothing(preview);
  const next = fields === undefined ? 'edit' : 'preview';
  return (
    <form
      action={root + paths.bulkValues}
      method="post"
      data-formats={JSON.stringify(formats)}
      data-editor={root + assetPath('squire.js')}
      noValidate
    >
      {/* The return key presses the first button of a form. */}
      <button class="unseen" type="submit" name={BUTTON} value={next} tabIndex={-1} aria-hidden="true">
        Continue
      </button>
      <FormToken token={token} />
      <SelectionInputs selection={selection} count={count} />
      {fields !== undefined && <input type="hidden" name={SHOWN} value={shownForm(entries)} />}
      {isReady && <input type="hidden" name={PREVIEWED} value={fingerprint} />}
      {preview === undefined ? (
        <Entries data={data} root={root} />
      ) : (
        <details class="entries">
          <summary>Field, values and reason</summary>
          <Entries data={data} root={root} />
        </details>
      )}
      <ActionBar>
        {isReady && (
          <button class="button" type="submit" name={BUTTON} value="save">
            Change {countedEntries(count, selection.kind)}
          </button>
        )}
        <button class={isReady ? 'button quiet' : 'button'} type="submit" name={BUTTON} value={next}>
          {fields === undefined ? 'Continue' : preview === undefined ? 'Show the changes' : 'Show the changes again'}
        </button>
        <a href={root + back}>Cancel</a>
      </ActionBar>
    </form>
  );
}

function Entries({ data, root }: Omit<FormProps, 'token'>) {
  const { entries, fields, problems } = data;
  const { field, operation, reason } = entries;
  return (
    <>
      <Select
        {...{ name: 'field', label: 'Field', required: true, error: errorOf(problems, 'field') }}
        value={field?.definition.name}
        options={entries.fields.map(({ definition: { name, label } }) => ({ value: name, label }))}
        none="Choose a field"
      />
      <Select
        {...{ name: 'operation', label: 'Change', error: errorOf(problems, 'operation') }}
        value={operation}
        options={Object.entries(OPERATION_LABELS).map(([value, label]) => ({ value, label }))}
      />
      {fields !== undefined && (
        <>
          {fields.map((each) => (
            <FormFieldView key={each.name} field={each} root={root} />
          ))}
          {operation === 'find' && <FindFields data={data} />}
          <TextInput
            {...{ name: 'reason', label: 'Reason', value: reason, maxLength: 500, autocomplete: 'off' }}
            help="For the history of each item."
          />
        </>
      )}
    </>
  );
}

function FindFields({ data: { entries, problems } }: Pick<FormProps, 'data'>) {
  const { find, replacement, isPattern, ignoresCase } = entries.replacement;
  const text = { autocomplete: 'off', spellcheck: false } as const;
  return (
    <>
      <TextInput {...text} name="find" label="Find" value={find} required error={errorOf(problems, 'find')} />
      <TextInput
        {...{ ...text, name: 'replacement', label: 'Replace with', value: replacement }}
        error={errorOf(problems, 'replacement')}
        help="Empty to remove the text. A value without any text is removed."
      />
      <Checkbox name="ignore_case" label="Ignore capital letters" checked={ignoresCase} />
      <Checkbox
        {...{ name: 'pattern', label: 'Find is a pattern', checked: isPattern }}
        help="A regular expression of RE2. The replacement may have groups of it as $1 or $<name>, and all of the match as $&."
      />
    </>
  );
}
