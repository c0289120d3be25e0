import { tableImportPath } from '../../representation/table-import-path.ts';
import { errorOf } from '../forms/error-summary.tsx';
import { FormToken } from '../forms/form-page.tsx';
import { FileInput } from './file-input.tsx';
import type { ImportPart } from './table-import-data.ts';

/** The form for a corrected table and further files. */
export function FilesForm({ data: { id, errors, formToken }, root }: ImportPart) {
  return (
    <section>
      <h2>Correct the table, or add files</h2>
      <form method="post" action={root + tableImportPath(id, 'files')} encType="multipart/form-data">
        <FormToken token={formToken} />
        <FileInput
          name="table"
          label="Corrected table"
          accept=".csv,.tsv,.txt,text/csv"
          help="It replaces the table. Leave it empty to keep the present one."
        />
        <FileInput
          name="files"
          label="More files"
          isMultiple
          help="A file with the name of an uploaded one replaces it."
          error={errorOf(errors, 'files')}
        />
        <button type="submit" class="button quiet">
          Upload and check again
        </button>
      </form>
    </section>
  );
}
