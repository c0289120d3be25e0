import type { ComponentChild } from 'preact';
import { numberText } from '../../base/in-words.ts';
import { entityPath } from '../../paths.ts';
import { DataTable } from '../data-table.tsx';
import type { ValueChange } from '../revisions/compare-values.ts';
import type { ManagedList } from './content-list-data.ts';
import type { PreviewData, PreviewRow } from './gather-preview.ts';
import { countedEntries } from './manage-words.ts';

interface Props {
  readonly preview: PreviewData;
  readonly kind: ManagedList;
  readonly root: string;
}

/** The first changes of a change of values: present and new values side by side, and the number of the other items. */
export function PreviewTable({ preview, kind, root }: Props) {
  const { rows } = preview;
  return (
    <section class="preview" aria-labelledby="preview">
      <h2 id="preview">Preview</h2>
      {sentencesOf(preview, kind).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {rows.length > 0 && (
        <DataTable label="Changes" class="rows" heads={[kind === 'node' ? 'Title' : 'Name', 'Present', 'New']}>
          {rows.map((row) => (
            <tr key={row.id}>
              <th scope="row">
                <a href={root + entityPath[kind](row.id)} dir="auto">
                  {row.label}
                </a>
              </th>
              <Values row={row} />
            </tr>
          ))}
        </DataTable>
      )}
    </section>
  );
}

/** Returns true if no item of a selection would change. */
export function changesNothing({ rows, others }: PreviewData): boolean {
  return others === 0 && rows.every(({ reason }) => reason !== null);
}

function sentencesOf(preview: PreviewData, kind: ManagedList): string[] {
  const { rows, examined, unchanged, others } = preview;
  const changed = rows.filter(({ reason }) => reason === null).length;
  const refused = rows.length - changed;
  const of = others > 0 ? `Of the first ${countedEntries(examined, kind)}` : `Of ${countedEntries(examined, kind)}`;
  const parts = [
    `${numberText(changed)} would change`,
    ...(unchanged > 0 ? [`${numberText(unchanged)} would stay as they are`] : []),
    ...(refused > 0 ? [`${numberText(refused)} cannot be changed, for the reason below`] : []),
  ];
  const sentences = [`${of}, ${parts.join(', ')}.`];
  if (changesNothing(preview)) sentences.push('Nothing would change.');
  if (others > 0)
    sentences.push(
      `The other ${countedEntries(others, kind)} are not shown. Each is changed in the same way when its turn comes.`,
    );
  return sentences;
}

function Values({ row: { changes, reason } }: { readonly row: PreviewRow }) {
  if (reason !== null) return <td colSpan={2}>{reason}</td>;
  const kept = changes.filter(({ kind }) => kind === 'same').length;
  const cell = (side: 'removed' | 'added') => (
    <td>
      {changes.map((change, at) => (
        <Value key={at} change={change} side={side} />
      ))}
      {kept > 0 && <p class="soft small">{kept === 1 ? 'and one other' : `and ${numberText(kept)} others`}</p>}
      {kept === 0 && !changes.some((change) => isOn(change, side)) && <span class="soft">No value</span>}
    </td>
  );
  return (
    <>
      {cell('removed')}
      {cell('added')}
    </>
  );
}

/** Returns true for a change that has a text among the present values (`removed`) or the new ones (`added`). */
function isOn({ kind }: ValueChange, side: 'removed' | 'added'): boolean {
  return kind === side || kind === 'changed' || kind === 'other';
}

function Value({ change, side }: { readonly change: ValueChange; readonly side: 'removed' | 'added' }) {
  if (change.kind === 'same' || !isOn(change, side)) return null;
  if (change.kind !== 'changed')
    return (
      <p dir="auto">
        <Part text={shortened(change.text, MAX_CHANGED)} change={change.kind} />
      </p>
    );
  const parts = change.parts.filter((part) => part.change === 'same' || part.change === side);
  return (
    <p dir="auto">
      {parts.map((part, at) => (
        <Part
          key={at}
          text={shortened(part.text, part.change === 'same' ? MAX_SAME : MAX_CHANGED)}
          change={part.change}
        />
      ))}
    </p>
  );
}

function Part({ text, change }: { readonly text: string; readonly change: ValueChange['kind'] }): ComponentChild {
  if (change === 'removed') return <del>{text}</del>;
  return change === 'added' ? <ins>{text}</ins> : text;
}

/** Maximum length of a part that stays, and of one that changes, in characters. */
const MAX_SAME = 120;
const MAX_CHANGED = 500;

/** Returns the beginning and the end of a long text. */
function shortened(text: string, most: number): string {
  const characters = [...text];
  if (characters.length <= most) return text;
  const half = Math.floor(most / 2);
  return `${characters.slice(0, half).join('')} … ${characters.slice(-half).join('')}`;
}
