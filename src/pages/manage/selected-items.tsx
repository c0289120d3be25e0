import { entityPath } from '../../paths.ts';
import type { BulkSelection } from './bulk-data.ts';
import type { ManagedList } from './content-list-data.ts';
import { countedEntries } from './manage-words.ts';

interface Props {
  readonly first: readonly { readonly id: number; readonly label: string }[];
  readonly count: number;
  readonly kind: ManagedList;
  readonly root: string;
}

/** The first items of a selection, and the number of the others. */
export function SelectedItems({ first, count, kind, root }: Props) {
  if (first.length === 0) return null;
  return (
    <div>
      <ul class="selected-items">
        {first.map(({ id, label }) => (
          <li key={id}>
            <a href={root + entityPath[kind](id)} dir="auto">
              {label}
            </a>
          </li>
        ))}
      </ul>
      {count > first.length && <p class="soft">and {countedEntries(count - first.length, kind)} more</p>}
    </div>
  );
}

/** The fields of a form that name its selection, and the number of items that the page has shown. */
export function SelectionInputs({
  selection: { kind, action, entries, source },
  count,
}: {
  readonly selection: BulkSelection;
  readonly count: number;
}) {
  return (
    <>
      <input type="hidden" name="kind" value={kind} />
      <input type="hidden" name="action" value={action} />
      <input type="hidden" name="confirmed" value={count} />
      {source !== undefined && (
        <>
          <input type="hidden" name="all" value="1" />
          <input type="hidden" name={source.of} value={source.text} />
        </>
      )}
      {entries.map((id) => (
        <input key={id} type="hidden" name="entry" value={id} />
      ))}
    </>
  );
}
