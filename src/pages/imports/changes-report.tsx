import { countInWords, numberText } from '../../base/in-words.ts';
import { entityPath, pathOf } from '../../paths.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import type { ReportedChanges } from '../../transfer/table-uploads/table-upload.ts';
import { CLEARING } from '../../transfer/update/update-plan.ts';
import { DataTable } from '../data-table.tsx';
import { TextInput } from '../forms/field.tsx';
import { FormToken } from '../forms/form-page.tsx';
import { countedEntries } from '../manage/manage-words.ts';
import type { ImportPart } from './table-import-data.ts';

interface Props extends ImportPart {
  readonly changes: ReportedChanges;
}

/** The changes that a table without problems would make, with the form that starts them. */
export function ChangesReport({ data, root, changes }: Props) {
  const { report, options, isHere } = data;
  const type = options.changes?.type ?? 'node';
  const { items, cleared } = changes;
  const rows = report?.rows ?? 0;
  if (items === 0)
    return (
      <section>
        <h2>The table changes nothing</h2>
        <p>All {countInWords(rows, 'row')} have the present values.</p>
      </section>
    );
  return (
    <section class="import-changes">
      <h2>The table can be applied</h2>
      <p>
        It changes {countedEntries(items, type)} of {countInWords(rows, 'row')}. Nothing is changed yet.
      </p>
      {cleared > 0 && <p class="warning">{countInWords(cleared, 'cell')} would lose all values.</p>}
      <Columns changes={changes} />
      <Changes changes={changes} root={root} type={type} />
      {isHere && <StartForm data={data} root={root} items={items} />}
    </section>
  );
}

function Columns({ changes: { cells } }: Pick<Props, 'changes'>) {
  return (
    <DataTable label="Columns" class="rows" caption="By column" heads={['Column', 'Changed cells']}>
      {cells.map(([column, count]) => (
        <tr key={column}>
          <th scope="row">
            <code>{column}</code>
          </th>
          <td class="number">{numberText(count)}</td>
        </tr>
      ))}
    </DataTable>
  );
}

interface ChangesProps extends Pick<Props, 'changes' | 'root'> {
  readonly type: LinkedType;
}

function Changes({ changes: { shown, items }, root, type }: ChangesProps) {
  return (
    <DataTable
      label="Changes"
      class="rows"
      caption={
        shown.length < items ? `The first ${shown.length} of ${numberText(items)} changed rows` : 'Changed cells'
      }
      heads={['Row', 'Item', 'Column', 'Old value', 'New value']}
    >
      {shown.flatMap(({ row, id, label, cells }) =>
        cells.map(({ column, before, after }) => (
          <tr key={`${row} ${column}`}>
            <td class="number">{row}</td>
            <th scope="row">
              <a href={root + entityPath[type](id)} dir="auto">
                {label === '' ? `Number ${id}` : label}
              </a>
            </th>
            <td>
              <code>{column}</code>
            </td>
            <td dir="auto">{shownValue(before)}</td>
            <td dir="auto">{shownValue(after.trim() === CLEARING ? '' : after)}</td>
          </tr>
        )),
      )}
    </DataTable>
  );
}

function shownValue(text: string) {
  return text === '' ? <span class="soft">No value</span> : text;
}

function StartForm({ data: { id, options, formToken }, root, items }: ImportPart & { readonly items: number }) {
  return (
    <form method="post" action={root + pathOf('tableImport', { table_import: id })}>
      <FormToken token={formToken} />
      <input type="hidden" name="act" value="start" />
      <TextInput
        name="reason"
        label="Reason"
        value={options.changes?.reason}
        maxLength={1_000}
        help="For the history of each item. Without one, the history names the table."
      />
      <button type="submit" class="button">
        Change {countedEntries(items, options.changes?.type ?? 'node')}
      </button>
    </form>
  );
}
