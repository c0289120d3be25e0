import { entityPath, pathOf } from '../../paths.ts';
import { uploadPagePath } from '../upload/upload-data.ts';
import type { AccessibilityRow } from './accessibility-data.ts';

interface RowProps {
  readonly row: AccessibilityRow;
  readonly root: string;
}

/** The recordings without captions, with the links that add captions or a transcript. */
export function CaptionsList({ rows, root }: { readonly rows: readonly AccessibilityRow[]; readonly root: string }) {
  return (
    <ul class="entries">
      {rows.map((row) => (
        <li key={row.id}>
          <a href={root + entityPath.media(row.id)} dir="auto">
            {row.nodeLabel ?? row.label}
          </a>{' '}
          <span class="soft">{row.label}</span>
          <RecordingLinks row={row} root={root} />
        </li>
      ))}
    </ul>
  );
}

function RecordingLinks({ row, root }: RowProps) {
  const { id, label, nodeId, mayEdit, mayReplace, mayAdd } = row;
  const upload = root + uploadPagePath('media', id);
  return (
    <>
      {mayReplace && <ChangeLink address={`${upload}?choice=track`} words="Add captions" label={label} />}
      {mayAdd && nodeId !== null && (
        <ChangeLink
          address={`${root}${uploadPagePath('node', nodeId)}?choice=files&use=transcript`}
          words="Add a transcript"
          label={label}
        />
      )}
      <ReplaceLink row={row} root={root} />
      {mayEdit && <ChangeLink address={root + pathOf('mediaEdit', { media: id })} words="Edit" label={label} />}
    </>
  );
}

/** The link that replaces the file of a media, for callers who may. */
export function ReplaceLink({ row: { id, label, mayReplace }, root }: RowProps) {
  const address = `${root}${uploadPagePath('media', id)}?choice=source`;
  return mayReplace ? <ChangeLink address={address} words="Replace" label={label} /> : null;
}

interface ChangeProps {
  readonly address: string;
  readonly words: string;
  readonly label: string;
}

/** A link of an entry, whose words say to a screen reader what it changes. */
export function ChangeLink({ address, words, label }: ChangeProps) {
  return (
    <>
      {' · '}
      <a href={address}>
        {words}
        <span class="unseen">: {label}</span>
      </a>
    </>
  );
}
