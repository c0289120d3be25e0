import { siteRoot } from '../../field-types/display/addresses.ts';
import { PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { readableSize } from '../../field-types/readable.tsx';
import { entityPath, paths } from '../../paths.ts';
import { MEMBER_OF } from '../../repository/relations.ts';
import { RIGHTS_FIELD } from '../../repository/uploads/attach-target.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { assetPath } from '../assets/assets.ts';
import { ItemCrumbs } from '../cards/breadcrumbs.tsx';
import { Select, TextArea, TextInput } from '../forms/field.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import { DerivativeList } from './derivative-list.tsx';
import { type NewItemsData, type UploadChoice, type UploadPageData, uploadPagePath } from './upload-data.ts';

/** Returns the page that adds files to a node or a media: a form for one file, which `upload.js` makes one for many. */
export function uploadPage(data: UploadPageData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { of, id, title, choices, entries, problem, maxBytes } = data;
  const back = root + entityPath[of](id);
  const limit = maxBytes === undefined ? undefined : readableSize(maxBytes, PAGE_LANGUAGE);
  return formPage({
    site,
    heading: of === 'node' ? `Add files to “${title}”` : `Change the files of “${title}”`,
    errors: problem === undefined ? [] : [{ field: 'file', message: problem }],
    styles: ['upload.css'],
    modules: ['upload.js', 'derivatives.js'],
    crumbs: <ItemCrumbs address={back} title={title} />,
    children: (
      <>
        <form
          class="upload"
          method="post"
          encType="multipart/form-data"
          action={root + uploadPagePath(of, id)}
          data-upload={JSON.stringify(settingsOf(data, root))}
        >
          <FormToken token={data.formToken} />
          <UploadChoices choices={choices} chosen={entries.choice} of={of} />
          {choices.includes('book') && (
            <div class="of-choice" data-for="book" hidden>
              <TextInput name="title" label="Title of the new book" value={entries.title} maxLength={255} required />
            </div>
          )}
          {choices.includes('track') && (
            <div class="of-choice" data-for="track">
              <TextInput
                name="language"
                label="Language of the captions"
                help="A code such as en, de or fr."
                value={entries.language}
                maxLength={20}
                spellcheck={false}
                isShort
              />
              <TextInput
                name="label"
                label="Name of the captions"
                help="The name in the menu of the player, such as English."
                value={entries.label}
                maxLength={128}
              />
            </div>
          )}
          {of === 'node' && (
            <Select
              name="use"
              label="Use of the files"
              help="Original File: derivatives are made of it. A transcript is a file of its own, with the use Transcript."
              value={entries.use}
              options={data.uses.map((use) => ({ value: String(use.id), label: use.label }))}
            />
          )}
          {data.newItems && <NewItems items={data.newItems} entries={entries} />}
          <div class={problem === undefined ? 'field upload-files' : 'field upload-files invalid'}>
            <label for="file">
              File<span class="soft"> (required)</span>
            </label>
            <p class="help" id="file-help">
              <span class="for-many" hidden>
                Drag files here, or choose them. An interrupted upload continues where it stopped, also after you have
                closed this page: choose the same file again.{' '}
              </span>
              {limit !== undefined && `At most ${limit} each.`}
            </p>
            {problem !== undefined && (
              <p class="error" id="file-error">
                <span class="unseen">Error: </span>
                {problem}
              </p>
            )}
            <input
              id="file"
              name="file"
              type="file"
              accept={data.extensions.map((extension) => `.${extension}`).join(',') || undefined}
              aria-describedby={problem === undefined ? 'file-help' : 'file-help file-error'}
              aria-invalid={problem === undefined ? undefined : 'true'}
            />
          </div>
          <p class="upload-notice warning" hidden />
          <ul class="upload-list" aria-label="Files" hidden />
          <p class="upload-status" role="status" />
          <p class="upload-book" hidden>
            <a href={back}>Open the new book</a>
          </p>
          <p class="upload-duplicates" hidden>
            <span />{' '}
            <button class="button quiet small" type="button" data-all="add">
              Add all anyway
            </button>{' '}
            <button class="button quiet small" type="button" data-all="skip">
              Skip all
            </button>
          </p>
          <ActionBar>
            <button class="button" type="submit">
              Upload
            </button>
            <a href={back}>{of === 'node' ? 'Back to the item' : 'Back to the media'}</a>
          </ActionBar>
        </form>
        {of === 'node' && <DerivativeList root={root} node={id} language={PAGE_LANGUAGE} formToken={data.formToken} />}
      </>
    ),
  });
}

/** Returns the settings of `upload.js`. */
function settingsOf({ of, id, maxBytes, extensions, ordersItems, nextWeight, book }: UploadPageData, root: string) {
  return {
    uploads: root + paths.uploads,
    nodes: root + paths.nodes,
    memberOf: MEMBER_OF,
    tus: root + assetPath('tus.js'),
    rows: root + assetPath('upload-rows.js'),
    server: root + assetPath('upload-server.js'),
    tasks: root + assetPath('upload-tasks.js'),
    titles: root + assetPath('readable-title.js'),
    books: root + assetPath('upload-book.js'),
    rightsField: RIGHTS_FIELD,
    of,
    id,
    maxBytes,
    extensions,
    ordersItems,
    nextWeight,
    book,
  };
}

const WORDS: Readonly<Record<UploadChoice, { readonly label: string; readonly help: string }>> = {
  files: { label: 'Files of this item', help: 'Each file is added to the item. Its other files stay.' },
  items: {
    label: 'A new item for each file',
    help: 'The items become members. Their titles are made from the names of the files.',
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

interface NewItemsProps {
  readonly items: NewItemsData;
  readonly entries: UploadPageData['entries'];
}

/** The controls of the values that all new items get. */
function NewItems({ items: { mayPublish, models, collections, hasRights }, entries }: NewItemsProps) {
  return (
    <fieldset class="upload-items" data-for="items pages book">
      <legend>All new items</legend>
      {mayPublish && (
        <>
          <Publication value="1" label="Publish at once" published={entries.published} />
          <Publication value="0" label="Keep as drafts" published={entries.published} />
        </>
      )}
      {models.length > 0 && (
        <div class="of-choice" data-for="items pages">
          <Select name="model" label="Model" value={entries.model} options={models} none="By the type of the file" />
        </div>
      )}
      {collections.length > 0 && (
        <div class="of-choice" data-for="items book">
          <Select name="collection" label="Collection" value={entries.collection} options={collections} />
        </div>
      )}
      {hasRights && <TextArea name="rights" label="Rights" rows={2} value={entries.rights} />}
    </fieldset>
  );
}

function Publication({ value, label, published }: { value: string; label: string; published: string }) {
  const id = `published-${value}`;
  return (
    <div class="field check">
      <input type="radio" id={id} name="published" value={value} checked={published === value} />
      <label for={id}>{label}</label>
    </div>
  );
}

/** The choice of what the files become. A single choice is a sentence. */
function UploadChoices({
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
