import { countInWords, momentInWords } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { readableSize } from '../../field-types/readable.tsx';
import { pathOf, paths } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { AdminCrumbs } from '../admin/admin-crumbs.tsx';
import { DataTable } from '../data-table.tsx';
import { errorOf } from '../forms/error-summary.tsx';
import { Select } from '../forms/field.tsx';
import { FormToken, formPage } from '../forms/form-page.tsx';
import { FileInput } from './file-input.tsx';
import { progressInWords, STATE_WORDS } from './import-words.ts';
import { AIMS } from './read-options.ts';
import type { TableImportsData } from './table-import-data.ts';

/** The characters between cells, by the value of their choice. */
export const DELIMITER_OPTIONS = [
  { value: ',', label: 'Comma ,' },
  { value: ';', label: 'Semicolon ;' },
  { value: 'tab', label: 'Tab' },
];

/** Returns the page with the form for a table, and the uploaded tables of the caller. */
export function tableImportsPage(data: TableImportsData, site: Site): HtmlPage {
  const { errors, formToken, maxFileBytes } = data;
  const root = siteRoot(site.baseUrl);
  const limit = maxFileBytes === undefined ? '' : ` Each file has at most ${readableSize(maxFileBytes, 'en')}.`;
  return formPage({
    site,
    heading: 'Import a table',
    errors,
    styles: ['report.css', 'table.css', 'cards.css'],
    lead: (
      <p>
        A table (CSV, XLSX or ODS) has one row for each item, with the columns of Islandora Workbench: <code>id</code>,{' '}
        <code>title</code>, <code>file</code>, <code>parent_id</code>, <code>field_…</code>. The whole table is checked
        before anything is created. Begin with an empty table, with the help and the choices of each column:{' '}
        {data.contentTypes.map(({ value, label }, at) => (
          <>
            {at > 0 && ', '}
            <a href={`${root}${paths.tableTemplate}?content_type=${encodeURIComponent(value)}`}>{label}</a>
          </>
        ))}
        . <a href={root + paths.imports}>All imports</a>
      </p>
    ),
    crumbs: <AdminCrumbs root={root} />,
    children: (
      <>
        <form method="post" action={root + paths.tableImports} encType="multipart/form-data">
          <FormToken token={formToken} />
          <Select
            name="aim"
            label="What does the table do?"
            value="create"
            options={AIMS}
            help="A table of changes is an export for changes that was edited. Its rows name their items by node_id."
            error={errorOf(errors, 'aim')}
          />
          <Select
            name="delimiter"
            label="Character between cells"
            value=","
            options={DELIMITER_OPTIONS}
            error={errorOf(errors, 'delimiter')}
          />
          <FileInput
            name="table"
            label="Table"
            accept=".csv,.tsv,.txt,.xlsx,.ods,text/csv"
            required
            help="A CSV file in UTF-8, or a spreadsheet (.xlsx, .ods), of which the first sheet is read."
            error={errorOf(errors, 'table')}
          />
          <FileInput
            name="files"
            label="Files"
            isMultiple
            help={`The files that the table names, at most 1,000 at once; you may add more later. The table names them without folders.${limit}`}
          />
          <button type="submit" class="button">
            Upload and check
          </button>
        </form>
        <Uploads data={data} root={root} />
      </>
    ),
  });
}

function Uploads({ data: { imports, now }, root }: { readonly data: TableImportsData; readonly root: string }) {
  if (imports.length === 0) return null;
  return (
    <section>
      <h2>Your tables</h2>
      <p class="help">A table is removed a day after its last change.</p>
      <DataTable label="Your tables" class="rows" heads={['Table', 'State', 'Uploaded']}>
        {imports.map(({ id, fileName, state, createdAt, progress, report }) => (
          <tr key={id}>
            <th scope="row">
              <a href={root + pathOf('tableImport', { table_import: id })} dir="auto">
                {fileName}
              </a>
            </th>
            <td>
              {STATE_WORDS[state]}
              {report && report.problemCount > 0 && `, ${countInWords(report.problemCount, 'problem')}`}
              {progress && (state === 'importing' || state === 'checking') && `: ${progressInWords(progress, now)}`}
            </td>
            <td>{momentInWords(createdAt)}</td>
          </tr>
        ))}
      </DataTable>
    </section>
  );
}
