import { pathOf } from '../../paths.ts';
import { errorOf } from '../forms/error-summary.tsx';
import { Checkbox, Select, TextArea, TextInput } from '../forms/field.tsx';
import { FormToken } from '../forms/form-page.tsx';
import type { ImportPart, TableImportData } from './table-import-data.ts';
import { DELIMITER_OPTIONS } from './table-imports-page.tsx';

/** The choices for the interpretation of the table, with the button that checks it again. */
export function OptionsForm({ data, root }: ImportPart) {
  const { id, options, errors, formToken, report, contentTypes, textFormats } = data;
  const isOpen = errors.length > 0 || report?.importedAt !== undefined || needsTerms(data);
  return (
    <section>
      <h2>Choices</h2>
      <details open={isOpen}>
        <summary>Change how the table is read, and check it again</summary>
        <form method="post" action={root + pathOf('tableImport', { table_import: id })} class="import-options">
          <FormToken token={formToken} />
          <input type="hidden" name="act" value="check" />
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
          <Select
            name="content_type"
            label="Content type of rows without one"
            value={options.contentType}
            options={contentTypes}
          />
          <Select
            name="text_format"
            label="Format of formatted texts"
            value={options.textFormat}
            options={textFormats}
            none="The usual one"
          />
          <TextArea
            name="additional_files"
            label="Columns of further files"
            rows={3}
            value={options.additionalFiles.map((pair) => pair.join('=')).join('\n')}
            help="One line for each column, with the term of its media use, such as transcript=Transcript."
            error={errorOf(errors, 'additional_files')}
          />
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

/** Returns true if a problem is solved by a choice of new terms. */
function needsTerms({ report }: TableImportData): boolean {
  return report?.problems.some(({ message }) => message.includes('under "New terms"')) ?? false;
}
