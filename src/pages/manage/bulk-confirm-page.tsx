import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, paths } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { FILES_HELP } from '../edit/delete-page.tsx';
import { errorOf } from '../forms/error-summary.tsx';
import { Checkbox, Select, TextInput } from '../forms/field.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import { scopeIn } from '../members/gather-members.ts';
import { MemberFields } from '../members/member-fields.tsx';
import type { BulkConfirmData } from './bulk-data.ts';
import { confirmHeading, effectOf } from './bulk-words.ts';
import { ManageTabs } from './manage-tabs.tsx';
import { countedEntries } from './manage-words.ts';
import { SelectedItems, SelectionInputs } from './selected-items.tsx';
import { TermFields } from './term-fields.tsx';

/** Returns the page on which a change of many items is confirmed: what it does, to how many items, and what will be lost. */
export function bulkConfirmPage(data: BulkConfirmData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { count, problems, action, token } = data;
  const effect = effectOf(data);
  return formPage({
    site,
    heading: confirmHeading(data),
    errors: problems,
    styles: action === 'term' ? ['fields.css', 'manage.css'] : ['manage.css'],
    modules: action === 'term' ? ['bulk-term.js'] : [],
    children: (
      <>
        <ManageTabs site={site} root={root} />
        {count > 0 && action === 'delete' && <DeletionWarning data={data} />}
        {count > 0 && effect && <p class="lead">{effect}</p>}
        <SelectedItems first={data.first} count={count} kind={data.kind} root={root} />
        {count > 0 && token !== undefined && <ConfirmForm data={data} root={root} token={token} />}
        {token === undefined && <ForPrograms data={data} root={root} />}
        {count === 0 && (
          <p>
            <a href={root + data.back}>Back to the list</a>
          </p>
        )}
      </>
    ),
  });
}

/** A deletion in numbers: what is lost, and what stays. */
function DeletionWarning({ data: { count, kind, affected, members } }: { readonly data: BulkConfirmData }) {
  const [they, their] = count === 1 ? ['It', 'Its'] : ['They', 'Their'];
  return (
    <div class="warning">
      <p>
        <strong>
          {countedEntries(count, kind)} {count === 1 ? 'is' : 'are'} deleted permanently, with all earlier versions.
          This cannot be undone.
        </strong>
      </p>
      {affected === undefined ? (
        <p>Files that no other content uses are removed from the storage later.</p>
      ) : (
        <ul>
          <li>
            {affected.media === 0
              ? `${they} ${count === 1 ? 'has' : 'have'} no media.`
              : `${their} ${countedEntries(affected.media, 'media')} with their files stay, hidden from readers, unless you delete them, too.`}
          </li>
          {members === undefined && (
            <li>
              {affected.members === 0
                ? 'No other item belongs to them.'
                : `${countedEntries(affected.members, 'node')} in them ${affected.members === 1 ? 'stays' : 'stay'}, without this parent.`}
            </li>
          )}
        </ul>
      )}
    </div>
  );
}

interface FormProps {
  readonly data: BulkConfirmData;
  readonly root: string;
  readonly token: string;
}

function ConfirmForm({ data, root, token }: FormProps) {
  const { action, count, back } = data;
  return (
    <form action={root + paths.bulkConfirm} method="post">
      <FormToken token={token} />
      <SelectionInputs selection={data} count={count} />
      {data.members && (
        <MemberFields
          members={data.members}
          chosen={data.typed.members === undefined ? data.members.usual : scopeIn(data.typed.members)}
          alone={count === 1 ? 'This item alone' : 'These items alone'}
          root={root}
        />
      )}
      <ActionFields data={data} root={root} />
      <ActionBar>
        <button class={action === 'delete' ? 'button danger' : 'button'} type="submit">
          {confirmHeading(data)}
        </button>
        <a href={root + back}>Cancel</a>
      </ActionBar>
    </form>
  );
}

/** The parameters of an action. */
function ActionFields({ data, root }: Omit<FormProps, 'token'>) {
  const { action, affected, collections, typed, problems, kind, members } = data;
  // Pages and files go with a book, unless the form says otherwise.
  const isWhole = typed.members === undefined && members?.usual === 'pages';
  if (action === 'delete' && kind === 'media')
    return <FilesBox label="Delete their files, too" isChecked={typed.with_files === '1'} />;
  if (action === 'delete' && (affected?.media ?? 0) > 0)
    return (
      <>
        <Checkbox
          name="with_media"
          label={`Delete their ${countedEntries(affected?.media ?? 0, 'media')}, too`}
          help="Media that belong to another item, too, stay."
          checked={typed.with_media === '1' || isWhole}
        />
        <FilesBox label="Delete the files of these media, too" isChecked={typed.with_files === '1' || isWhole} />
      </>
    );
  if (action === 'collection') {
    const own = { name: 'collection', label: 'Collection', required: true, error: errorOf(problems, 'collection') };
    return (
      <>
        {collections === undefined ? (
          <TextInput
            {...own}
            value={typed.collection}
            inputMode="numeric"
            help="The number at the end of its address."
          />
        ) : (
          <Select {...own} value={typed.collection} options={collections} none="Choose a collection" />
        )}
        <fieldset>
          <legend>Present collections</legend>
          <Mode value="replace" label="Leave the present collections" checked={typed.mode !== 'add'} />
          <Mode value="add" label="Stay in the present collections, too" checked={typed.mode === 'add'} />
        </fieldset>
      </>
    );
  }
  return action === 'term' ? <TermFields data={data} root={root} /> : null;
}

function FilesBox({ label, isChecked }: { readonly label: string; readonly isChecked: boolean }) {
  return <Checkbox name="with_files" label={label} help={FILES_HELP} checked={isChecked} />;
}

function Mode({
  value,
  label,
  checked,
}: {
  readonly value: string;
  readonly label: string;
  readonly checked: boolean;
}) {
  return (
    <div class="field check">
      <input type="radio" id={`mode-${value}`} name="mode" value={value} checked={checked} />
      <label for={`mode-${value}`}>{label}</label>
    </div>
  );
}

/** The way for callers without a session. */
function ForPrograms({ data: { action, kind, entries }, root }: Omit<FormProps, 'token'>) {
  const [id] = entries;
  return (
    <>
      <p>
        This form requires a session: <a href={root + paths.login}>sign in</a>.
      </p>
      {action === 'delete' && id !== undefined && (
        <p>
          Programs send <code>DELETE {entityPath[kind](id)}?_format=json</code>.
        </p>
      )}
    </>
  );
}
