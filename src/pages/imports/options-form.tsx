import { pathOf } from '../../paths.ts';
import type { TableChanges } from '../../transfer/table-uploads/table-upload.ts';
import { errorOf } from '../forms/error-summary.tsx';
import { Checkbox, Select, TextArea, TextInput } from '../forms/field.tsx';
import { FormToken } from '../forms/form-page.tsx';
import { AIMS } from './read-options.ts';
import type { ImportPart, TableImportData } from './table-import-data.ts';
import { DELIMITER_OPTIONS } from './table-imports-page.tsx';

/** The choices for the interpretation of the table, with the button that checks it again. */
export function OptionsForm({ data, root }: ImportPart) {
  const { id, options, errors, formToken, report, contentTypes, textFormats } = data;
  const isOpen = errors.length > 0 || report?.importedAt !== undefined || needsChoice(data);
  return (
    <section>
      <h2>Choices</h2>
      <details open={isOpen}>
        <summary>Change how the table is read, and check it again</summary>
        <form method="post" action={root + pathOf('tableImport', { table_import: id })} class="import-options">
          <FormToken token={formToken} />
          <input type="hidden" name="act" value="check" />
          <Select
            name="aim"
            label="What does the table do?"
            value={options.changes?.type ?? 'create'}
            options={AIMS}
            error={errorOf(errors, 'aim')}
          />
          <Select
            name="delimiter"
            label="Character between cells"
            value={options.delimiter === '\t' ? 'tab' : options.delimiter}
            options={DELIMITER_OPTIONS}
            error={errorOf(errors, 'delimiter')}
          />
          <TextInput
            name="sheet"
            label="Sheet of a spreadsheet"
            value={options.sheet}
            help="The first visible sheet if empty."
          />
          <TextInput
            name="subdelimiter"
            label="Text between values of a cell"
            value={options.subdelimiter}
            spellcheck={false}
            isShort
            error={errorOf(errors, 'subdelimiter')}
          />
          {options.changes === undefined && (
            <Select
              name="content_type"
              label="Content type of rows without one"
              value={options.contentType}
              options={contentTypes}
            />
          )}
          <Select
            name="text_format"
            label="Format of formatted texts"
            value={options.textFormat}
            options={textFormats}
            none="The usual one"
          />
          {options.changes === undefined ? (
            <TextArea
              name="additional_files"
              label="Columns of further files"
              rows={3}
              value={options.additionalFiles.map((pair) => pair.join('=')).join('\n')}
              help="One line for each column, with the term of its media use, such as transcript=Transcript."
              error={errorOf(errors, 'additional_files')}
            />
          ) : (
            <ChangeChoices data={data} changes={options.changes} />
          )}
          <NewTerms data={data} />
          {report?.importedAt !== undefined && (
            <Checkbox
              name="again"
              label="Import this table again"
              checked={options.again}
              help="All of its items are created a second time."
            />
          )}
          <button type="submit" class="button quiet">
            Check again
          </button>
        </form>
      </details>
    </section>
  );
}

interface ChangeChoicesProps extends Pick<ImportPart, 'data'> {
  readonly changes: TableChanges;
}

/** The choices for a table of changes. */
function ChangeChoices({
  data: { errors, report },
  changes: { key, append, remove, overwrites, reason },
}: ChangeChoicesProps) {
  const isStale = report?.problems.some(({ message }) => message.includes('changed since the export')) ?? false;
  return (
    <>
      <input type="hidden" name="reason" value={reason} />
      <TextInput
        name="key"
        label="Column that names the rows"
        value={key}
        spellcheck={false}
        help="A field whose values are of one item each. The column of ids or UUIDs if empty."
      />
      <TextInput
        name="append"
        label="Columns that add values"
        value={append.join(', ')}
        spellcheck={false}
        help="Names of columns, separated by commas. The cells of all others replace the values of their field."
        error={errorOf(errors, 'append')}
      />
      <TextInput
        name="remove"
        label="Columns that remove values"
        value={remove.join(', ')}
        spellcheck={false}
        error={errorOf(errors, 'remove')}
      />
      {(isStale || overwrites) && (
        <Checkbox
          name="overwrite"
          label="Overwrite what others have changed since the export"
          checked={overwrites}
          help="Their values stay in the history of the item."
        />
      )}
    </>
  );
}

function NewTerms({ data: { options, vocabularies } }: Pick<ImportPart, 'data'>) {
  return (
    <fieldset>
      <legend>New terms</legend>
      <p class="help">
        Some fields create the terms that the table names and that do not exist. Tick a vocabulary to create missing
        terms for every field.
      </p>
      <Checkbox name="no_new_terms" label="Create no new terms" checked={!options.newTerms} />
      <div class="columns">
        {vocabularies.map(({ value, label }) => (
          <Checkbox
            key={value}
            name="create_terms"
            id={`create-${value}`}
            value={value}
            label={
              <>
                {label} <code>{value}</code>
              </>
            }
            checked={options.createTerms.includes(value)}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** Returns true if a problem is solved by another choice. */
function needsChoice({ report }: TableImportData): boolean {
  return report?.problems.some(({ message }) => message.includes(', and check again')) ?? false;
}
