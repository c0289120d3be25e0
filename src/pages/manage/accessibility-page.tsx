import { numberText } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import type { AccessibilityProblem } from '../../repository/accessibility/find-accessibility-problems.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { errorOf } from '../forms/error-summary.tsx';
import { describedControl, FieldNotes } from '../forms/field.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import type { AccessibilityData, AccessibilityRow } from './accessibility-data.ts';
import { CaptionsList, ChangeLink, ReplaceLink } from './accessibility-links.tsx';
import { EntitySelect } from './list-filters.tsx';
import { ListLinks } from './list-links.tsx';
import { ManageTabs } from './manage-tabs.tsx';

const LISTS: Readonly<Record<AccessibilityProblem, { readonly label: string; readonly help: string }>> = {
  text: {
    label: 'Pictures without alternative text',
    help: 'Say in a sentence what the picture shows, for people who cannot see it. A file name is no alternative text. Derivatives are not listed.',
  },
  captions: {
    label: 'Recordings without captions',
    help: 'People who cannot hear a recording read its captions. Add a track (WebVTT) to the media.',
  },
  language: {
    label: 'Items without language',
    help: 'Screen readers and search use the language of an item.',
  },
};

interface Props {
  readonly data: AccessibilityData;
  readonly root: string;
}

/** Returns the report of what lacks alternative text, captions or language, with the form for missing texts. */
export function accessibilityPage(data: AccessibilityData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { shown, rows, first, next, problems } = data;
  return formPage({
    site,
    heading: 'Accessibility',
    errors: problems,
    isWide: true,
    styles: ['table.css', 'manage.css'],
    children: (
      <>
        <ManageTabs site={site} root={root} path={paths.accessibility} />
        <Lists data={data} root={root} />
        <CollectionFilter data={data} root={root} />
        <section aria-labelledby="problems-title">
          <h2 id="problems-title">{LISTS[shown].label}</h2>
          <p class="lead soft">{LISTS[shown].help}</p>
          {rows.length === 0 && <p role="status">Nothing is missing here.</p>}
          {rows.length > 0 && shown === 'text' && <TextForm data={data} root={root} />}
          {rows.length > 0 && shown === 'captions' && <CaptionsList rows={rows} root={root} />}
          {rows.length > 0 && shown === 'language' && <LanguageForm data={data} root={root} />}
        </section>
        <ListLinks links={{ ...(first && { first }), ...(next && { next }) }} root={root} />
      </>
    ),
  });
}

function Lists({ data: { counts, lists, shown }, root }: Props) {
  return (
    <nav aria-label="Lists of this report">
      <ul class="chips">
        {(['text', 'captions', 'language'] as const).map((name) => (
          <li key={name}>
            <a href={root + lists[name]} aria-current={name === shown ? 'page' : undefined}>
              {LISTS[name].label}{' '}
              <span class="soft">
                {counts[name].hasMore && 'more than '}
                {numberText(counts[name].count)}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function CollectionFilter({ data: { collection, collections, shown }, root }: Props) {
  return (
    <form class="filters" action={root + paths.accessibility} method="get" aria-label="Filters">
      {shown !== 'text' && <input type="hidden" name="show" value={shown} />}
      <div class="filter-first">
        <EntitySelect name="collection" label="Collection" value={collection} error={undefined} options={collections} />
        <button class="button quiet" type="submit">
          Filter
        </button>
      </div>
    </form>
  );
}

/** The pictures, each beside the field for its text. One button saves all of them. */
function TextForm({ data: { rows, address, token, problems }, root }: Props) {
  return (
    <form action={root + address} method="post" data-keep={problems.length > 0 ? 'changed' : ''}>
      {token !== undefined && <FormToken token={token} />}
      <ul class="texts">
        {rows.map((row) => (
          <TextRow key={row.id} row={row} root={root} error={errorOf(problems, `alt-${row.id}`)} />
        ))}
      </ul>
      {token === undefined ? (
        <p>
          This form requires a session: <a href={root + paths.login}>sign in</a>.
        </p>
      ) : (
        <ActionBar>
          <button class="button" type="submit">
            Save texts
          </button>
          <span class="state" role="status" />
        </ActionBar>
      )}
    </form>
  );
}

interface RowProps {
  readonly row: AccessibilityRow;
  readonly root: string;
  readonly error: string | undefined;
}

function TextRow({ row, root, error }: RowProps) {
  const { id, label, nodeId, nodeLabel, picture, typed, mayEdit } = row;
  const name = `alt-${id}`;
  return (
    <li>
      <a class="picture" href={root + entityPath.media(id)}>
        {picture ? (
          <img src={root + picture.path} alt="" width={picture.width} height={picture.height} loading="lazy" />
        ) : (
          <span class="soft">No preview</span>
        )}
        <span class="unseen">Open the media {label}</span>
      </a>
      <div class={error ? 'field invalid' : 'field'}>
        <label for={name}>
          <span class="unseen">Alternative text of </span>
          <span dir="auto">{nodeLabel ?? label}</span>
        </label>
        <p class="help">
          {label}
          {nodeId !== null && (
            <>
              {' · '}
              <a href={root + entityPath.node(nodeId)}>
                Item<span class="unseen"> {nodeLabel}</span>
              </a>
            </>
          )}
          <ReplaceLink row={row} root={root} />
        </p>
        <FieldNotes name={name} error={error} />
        {mayEdit ? (
          <textarea
            rows={2}
            maxLength={512}
            dir="auto"
            {...describedControl({ name, label, error })}
          >{`\n${typed}`}</textarea>
        ) : (
          <p class="soft">You may not change it.</p>
        )}
      </div>
    </li>
  );
}

/** The items, with the form that gives several of them a language. */
function LanguageForm({ data: { rows }, root }: Props) {
  return (
    <form action={root + paths.bulkConfirm} method="get">
      <input type="hidden" name="kind" value="node" />
      <input type="hidden" name="action" value="term" />
      <input type="hidden" name="field" value="field_language" />
      <ul class="entries">
        {rows.map(({ id, label, terms, mayEdit }) => (
          <li key={id} class="check">
            <input type="checkbox" name="entry" value={id} aria-label={`Select ${label}`} />
            <span>
              <a href={root + entityPath.node(id)} dir="auto">
                {label}
              </a>{' '}
              <span class="soft">{terms ?? ''}</span>
              {mayEdit && <ChangeLink address={root + pathOf('nodeEdit', { node: id })} words="Edit" label={label} />}
            </span>
          </li>
        ))}
      </ul>
      <ActionBar>
        <button class="button" type="submit">
          Add a language to the selected items
        </button>
      </ActionBar>
    </form>
  );
}
