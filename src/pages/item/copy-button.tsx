interface Props {
  /** The id of the element whose text or value it copies. */
  readonly copies: string;
  /** The copied text in words, for those who do not see the place of the button. */
  readonly what: string;
}

/** A button that copies a text. `copy.client.js` shows it; without script a reader selects the text. */
export function CopyButton({ copies, what }: Props) {
  return (
    <button type="button" class="copy" data-copies={copies} hidden>
      Copy<span class="unseen"> {what}</span>
    </button>
  );
}
