import { countInWords, momentInWords, numberText } from '../../base/in-words.ts';
import { pathOf } from '../../paths.ts';
import { isSpreadsheetName } from '../../transfer/spreadsheet/spreadsheet-name.ts';
import type { TableProblem } from '../../transfer/table/row-plan.ts';
import type { TableUploadReport } from '../../transfer/table-uploads/table-upload.ts';
import { PostButton } from '../admin/post-button.tsx';
import { DataTable } from '../data-table.tsx';
import { ChangesReport } from './changes-report.tsx';
import { planInWords } from './import-words.ts';
import type { ImportPart } from './table-import-data.ts';

const SHOWN_PROBLEMS = 100;
const SHOWN_NAMES = 20;

/** The report of the last check, with the button that starts the import. */
export function ImportReport({ data, root }: ImportPart) {
  const { id, state, report, formToken, isHere, fileName } = data;
  const isSheet = isSpreadsheetName(fileName);
  if (report === undefined) return <p>The table was not checked to its end. Check it again.</p>;
  if (report.importedAt !== undefined)
    return (
      <section class="warning">
        <h2>This table was imported before</h2>
        <p>
          The same table was imported on {momentInWords(report.importedAt)}. To create all of its items again, choose
          that below, and check it again.
        </p>
      </section>
    );
  if (report.problemCount > 0)
    return <Problems id={id} report={report} isSheet={isSheet} root={root} isUpdate={report.changes !== undefined} />;
  if (report.changes !== undefined)
    return (
      <>
        <ChangesReport data={data} root={root} changes={report.changes} />
        <NewTerms report={report} isSheet={isSheet} />
      </>
    );
  const isBegun = report.isBegun || state === 'stopped' || state === 'interrupted' || state === 'failed';
  return (
    <section>
      <h2>The table can be imported</h2>
      <p>
        {planInWords(report)}
        {isBegun && ' Rows that are already loaded are not loaded again.'}
      </p>
      <Doubts report={report} />
      <NewTerms report={report} isSheet={isSheet} />
      {isHere && (
        <PostButton
          action={root + pathOf('tableImport', { table_import: id })}
          formToken={formToken}
          label={state === 'checked' && !report.isBegun ? 'Start the import' : 'Continue the import'}
          fields={{ act: 'start' }}
        />
      )}
    </section>
  );
}

interface ProblemsProps {
  readonly id: number;
  readonly report: TableUploadReport;
  /** True for a spreadsheet: its problems are named by the rows of the sheet only. */
  readonly isSheet: boolean;
  readonly root: string;
  /** True for a table of changes. */
  readonly isUpdate: boolean;
}

function Problems({ id, report: { problems, problemCount, rows }, isSheet, root, isUpdate }: ProblemsProps) {
  const shown = problems.slice(0, SHOWN_PROBLEMS);
  return (
    <section>
      <h2>{countInWords(problemCount, 'problem')}</h2>
      <p>
        {isUpdate
          ? 'Nothing was changed. Correct the table and upload it again below, or change the choices.'
          : 'Nothing was created. Correct the table and upload it again below, or add missing files.'}
        {rows > 0 && ` The table has ${countInWords(rows, 'row')}.`}
      </p>
      <p>
        <a href={root + pathOf('tableImportProblems', { table_import: id })}>
          Download {problems.length < problemCount ? `the first ${numberText(problems.length)}` : 'all'} as a table
        </a>
      </p>
      <DataTable
        label="Problems"
        class="rows"
        caption={shown.length < problemCount ? `The first ${shown.length} of ${numberText(problemCount)}` : undefined}
        heads={isSheet ? ['Row', 'Column', 'Problem'] : ['Row', 'Line', 'Column', 'Problem']}
      >
        {shown.map((problem, at) => (
          <Problem key={at} problem={problem} isSheet={isSheet} />
        ))}
      </DataTable>
    </section>
  );
}

interface ProblemProps extends Pick<ProblemsProps, 'isSheet'> {
  readonly problem: TableProblem;
}

function Problem({ problem: { row, line, column, message }, isSheet }: ProblemProps) {
  return (
    <tr>
      <td class="number">{(isSheet ? line : row) ?? 'all'}</td>
      {!isSheet && <td class="number">{line}</td>}
      <td>{column && <code>{column}</code>}</td>
      <td dir="auto">{message}</td>
    </tr>
  );
}

function Doubts({ report: { unnamed, unnamedCount, empty } }: { readonly report: TableUploadReport }) {
  return (
    <>
      {unnamedCount > 0 && (
        <p class="warning">
          No row names {unnamedCount === 1 ? 'this uploaded file' : `${countInWords(unnamedCount, 'uploaded file')}`}:{' '}
          {names(unnamed, unnamedCount)}. {unnamedCount === 1 ? 'It is' : 'They are'} not imported.
        </p>
      )}
      {empty.length > 0 && (
        <p class="warning">
          {empty.length === 1 ? 'This uploaded file is empty' : 'These uploaded files are empty'}:{' '}
          {names(empty, empty.length)}. Check that the upload was complete.
        </p>
      )}
    </>
  );
}

function names(all: readonly string[], count: number): string {
  const shown = all.slice(0, SHOWN_NAMES);
  return count > shown.length
    ? `${shown.join(', ')} and ${countInWords(count - shown.length, 'other')}`
    : shown.join(', ');
}

function NewTerms({ report: { newTerms, listedTerms }, isSheet }: Pick<ProblemsProps, 'report' | 'isSheet'>) {
  if (newTerms.length === 0) return null;
  return (
    <details>
      <summary>New terms: {newTerms.map(([vocabulary, count]) => `${count} in ${vocabulary}`).join(', ')}</summary>
      <ul>
        {listedTerms.map(({ vocabulary, name, line }) => (
          <li key={`${vocabulary} ${name}`}>
            <bdi>{name}</bdi> in {vocabulary}, {isSheet ? 'row' : 'line'} {line}
          </li>
        ))}
      </ul>
    </details>
  );
}
