import type { RestoreForm, RevisionEntry } from './revision-data.ts';
import { timeInWords } from './revision-words.tsx';

/** The form that brings back a version. Buttons name their version: a table of them is in another form. */
const FORM = 'restore';

interface FormProps {
  readonly form: RestoreForm;
}

/** The form to which the buttons of a page belong. */
export function RestoreFields({ form: { tokenName, token, version } }: FormProps) {
  return (
    <form id={FORM} method="post">
      <input type="hidden" name={tokenName} value={token} />
      <input type="hidden" name="version" value={version} />
    </form>
  );
}

/** The button that brings back a version, or the reason why it cannot be brought back. */
export function RestoreButton({ revision, address }: { readonly revision: RevisionEntry; readonly address: string }) {
  const { id, restoring, created } = revision;
  if (restoring === undefined) return null;
  if (restoring.lost.length > 0)
    return (
      <span class="aside">It cannot be brought back: the content model no longer has {restoring.lost.join(', ')}.</span>
    );
  return (
    <button class="button quiet small" type="submit" form={FORM} formaction={`${address}/${id}/restore`}>
      Bring back this version<span class="unseen">: {timeInWords(created)}</span>
    </button>
  );
}
