import { Download } from './download.tsx';
import type { StageProps } from './stage-props.ts';

/** A text, or the beginning of a long one. */
export function TextStage({ stage: { file, text, isWhole }, root, lang }: StageProps<'text'>) {
  return (
    <section class="viewer viewer-text" aria-label="Text" {...lang}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area must be reachable by keyboard. */}
      <pre lang="" dir="auto" tabIndex={0}>
        {text}
      </pre>
      {!isWhole && <p class="viewer-note">This is the beginning of the text.</p>}
      <Download file={file} root={root} />
    </section>
  );
}
