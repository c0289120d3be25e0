import type { UploadChoice, UploadPageData } from './upload-data.ts';

const WORDS: Readonly<Record<UploadChoice, { readonly label: string; readonly help: string }>> = {
  files: { label: 'Files of this item', help: 'Each file is added to the item. Its other files stay.' },
  items: {
    label: 'A new item for each file',
    help: 'The items become members, with the names of the files as titles.',
  },
  pages: {
    label: 'Pages, in the natural order of the file names',
    help: 'Each file becomes a page behind the present ones: page2 comes before page10.',
  },
  book: {
    label: 'Pages of one new book, in the natural order of the file names',
    help: 'The book becomes a member. page2 comes before page10.',
  },
  source: { label: 'Replace the file', help: 'The present file is deleted. Its derivatives are made again.' },
  track: { label: 'Add captions or subtitles', help: 'A WebVTT file (.vtt). The present ones stay.' },
};

/** The choice of what the files become. A single choice is a sentence. */
export function UploadChoices({
  choices,
  chosen,
  of,
}: Pick<UploadPageData, 'choices' | 'of'> & { readonly chosen: UploadChoice }) {
  const [only, ...more] = choices;
  if (only !== undefined && more.length === 0)
    return (
      <p>
        <input type="hidden" name="choice" value={only} />
        {WORDS[only].label}. {WORDS[only].help}
      </p>
    );
  return (
    <fieldset class="upload-choices">
      <legend>{of === 'node' ? 'What do the files become?' : 'What does the file become?'}</legend>
      {choices.map((choice) => (
        // A book is created before its pages, by the script.
        <div key={choice} class="field check" hidden={choice === 'book'} data-choice={choice}>
          <input
            type="radio"
            id={`choice-${choice}`}
            name="choice"
            value={choice}
            checked={choice === chosen}
            aria-describedby={`choice-${choice}-help`}
          />
          <label for={`choice-${choice}`}>{WORDS[choice].label}</label>
          <p class="help" id={`choice-${choice}-help`}>
            {WORDS[choice].help}
          </p>
        </div>
      ))}
    </fieldset>
  );
}
