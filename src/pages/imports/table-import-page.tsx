import { countInWords, momentInWords } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { readableSize } from '../../field-types/readable.tsx';
import { pathOf, paths } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { AdminCrumbs } from '../admin/admin-crumbs.tsx';
import { PostButton } from '../admin/post-button.tsx';
import { errorOf } from '../forms/error-summary.tsx';
import { FormToken, formPage } from '../forms/form-page.tsx';
import { BulkActionForm } from '../manage/bulk-action-form.tsx';
import { FileInput } from './file-input.tsx';
import { ImportReport } from './import-report.tsx';
import { createdInWords, progressInWords, STATE_WORDS } from './import-words.ts';
import { OptionsForm } from './options-form.tsx';
import type { ImportPart, TableImportData } from './table-import-data.ts';

/** Returns the page of an uploaded table: its check, its import, and their results. */
export function tableImportPage(data: TableImportData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { fileName, state, errors } = data;
  const isUnderWay = state === 'checking' || state === 'importing';
  const isEditable = !isUnderWay && state !== 'done' && data.isHere;
  return formPage({
    site,
    heading: fileName,
    errors,
    isWide: true,
    styles: ['report.css', 'table.css', 'cards.css', 'bulk-action.css'],
    modules: isUnderWay ? ['progress.js'] : [],
    lead: <p>{lead(data)}</p>,
    crumbs: <AdminCrumbs root={root} within={[{ path: paths.tableImports, label: 'Import a table' }]} />,
    children: (
      <>
        {isUnderWay && <UnderWay data={data} root={root} />}
        {state === 'done' &&
          (data.run === undefined ? <Done data={data} root={root} /> : <Begun run={data.run} root={root} />)}
        {state === 'done' && data.run === undefined && (
          <BulkActionForm
            {...{ site, root, kind: 'node', items: 'all items of this table' }}
            source={{ of: 'import', text: String(data.id) }}
          />
        )}
        {data.failure && <Failure data={data} />}
        {!isUnderWay && state !== 'done' && !data.isHere && (
          <p class="warning">
            The table {data.otherServer ? <OnServer name={data.otherServer} /> : <ElsewhereOrRemoved />}. Behind a load
            balancer, requests of one browser must reach one server. Otherwise upload the table again: what is loaded is
            not loaded twice.
          </p>
        )}
        {!isUnderWay && state !== 'done' && <ImportReport data={data} root={root} />}
        {isEditable && <FilesForm data={data} root={root} />}
        {isEditable && <OptionsForm data={data} root={root} />}
        {!isUnderWay && <Remove data={data} root={root} />}
      </>
    ),
  });
}

function lead({ state, createdAt, uploaded }: TableImportData): string {
  const { count, bytes } = uploaded;
  const files = count === 0 ? '' : `, with ${countInWords(count, 'file')} of ${readableSize(bytes, 'en')}`;
  return `${STATE_WORDS[state]}. Uploaded ${momentInWords(createdAt)}${files}.`;
}

function OnServer({ name }: { readonly name: string }) {
  return (
    <>
      is on the server <bdi>{name}</bdi>
    </>
  );
}

function ElsewhereOrRemoved() {
  return <>is on another server of this repository, or was removed</>;
}

function UnderWay({ data: { id, state, progress, now, formToken, stops, otherServer, options }, root }: ImportPart) {
  const isImport = state === 'importing';
  const heading = options.changes === undefined ? 'The import is running' : 'The changes are being prepared';
  return (
    <section>
      <h2>{isImport ? heading : 'The table is being checked'}</h2>
      <p>
        <progress
          max={1}
          value={progress?.part ?? 0}
          data-live={`${state} bar`}
          aria-label={isImport ? 'Progress of the import' : 'Progress of the check'}
        />{' '}
        <span role="status" data-live={`${state} text`}>
          {progress ? progressInWords(progress, now) : 'It begins'}
        </span>
      </p>
      <p class="help">
        You may leave this page: the server{otherServer && <bdi> {otherServer}</bdi>} continues.{' '}
        <a href={root + pathOf('tableImport', { table_import: id })}>Show the present state</a>
      </p>
      {stops ? (
        <p>It stops after the rows that have begun.</p>
      ) : (
        <PostButton
          action={root + pathOf('tableImport', { table_import: id })}
          formToken={formToken}
          label="Stop"
          fields={{ act: 'stop' }}
          isSecondary
        />
      )}
    </section>
  );
}

function Done({ data: { id, progress, hasResult, otherServer }, root }: ImportPart) {
  return (
    <section>
      <h2>The table is imported</h2>
      {progress && <p>{createdInWords(progress)}</p>}
      {hasResult ? (
        <p>
          <a class="button" href={root + pathOf('tableImportResult', { table_import: id })}>
            Download the results
          </a>
        </p>
      ) : (
        <p>The table of results {otherServer ? <OnServer name={otherServer} /> : <ElsewhereOrRemoved />}.</p>
      )}
      <p class="help">The results name the item of each row, with its address, and the media of its files.</p>
    </section>
  );
}

/** The bulk change that a table has started. */
function Begun({ run, root }: { readonly run: number; readonly root: string }) {
  return (
    <section>
      <h2>The changes have begun</h2>
      <p>
        <a class="button" href={root + pathOf('bulkRun', { run })}>
          Show the progress and the results
        </a>
      </p>
      <p class="help">That page can undo the changes as a whole.</p>
    </section>
  );
}

function Failure({ data: { failure, progress } }: Pick<ImportPart, 'data'>) {
  if (failure === undefined) return null;
  const { row, line, column, message } = failure;
  const place = [
    ...(row === undefined ? [] : [`row ${row}`]),
    ...(line === undefined ? [] : [`line ${line}`]),
    ...(column === undefined ? [] : [`column ${column}`]),
  ].join(', ');
  return (
    <section class="warning" aria-labelledby="failure">
      <h2 id="failure">A problem has stopped the work</h2>
      <p>
        {place && `${place}: `}
        {message}
      </p>
      {progress && progress.nodes > 0 && <p>Until then it created: {createdInWords(progress)}</p>}
    </section>
  );
}

function Remove({ data: { id, state, uploaded, formToken, progress, run }, root }: ImportPart) {
  const files = uploaded.count === 0 ? '' : ` and ${countInWords(uploaded.count, 'uploaded file')}`;
  const isKept = (progress?.nodes ?? 0) > 0 || state === 'done';
  const kept = run !== undefined ? ' The changes stay.' : isKept ? ' Items that were created stay.' : '';
  return (
    <section>
      <h2>Remove</h2>
      <p>
        This removes the table{files} and its reports from the server.{kept}
      </p>
      <PostButton
        action={root + pathOf('tableImport', { table_import: id })}
        formToken={formToken}
        label="Remove this table"
        fields={{ act: 'remove' }}
        isSecondary
      />
    </section>
  );
}

/** The form for a corrected table and further files. */
function FilesForm({ data: { id, errors, formToken, options }, root }: ImportPart) {
  const isUpdate = options.changes !== undefined;
  return (
    <section>
      <h2>{isUpdate ? 'Correct the table' : 'Correct the table, or add files'}</h2>
      <form
        method="post"
        action={root + pathOf('tableImportFiles', { table_import: id })}
        encType="multipart/form-data"
      >
        <FormToken token={formToken} />
        <FileInput
          name="table"
          label="Corrected table"
          accept=".csv,.tsv,.txt,.xlsx,.ods,text/csv"
          help={`It replaces the table.${isUpdate ? '' : ' Leave it empty to keep the present one.'}`}
          error={errorOf(errors, 'table')}
        />
        {!isUpdate && (
          <FileInput
            name="files"
            label="More files"
            isMultiple
            help="A file with the name of an uploaded one replaces it."
            error={errorOf(errors, 'files')}
          />
        )}
        <button type="submit" class="button quiet">
          Upload and check again
        </button>
      </form>
    </section>
  );
}
