import { errorOf } from '../forms/error-summary.tsx';
import { Select, TextInput } from '../forms/field.tsx';
import type { Choice, ContentListData } from './content-list-data.ts';
import { SHOW } from './read-filters.ts';

/** The labels of filters by their names in the address. */
const LABELS: Readonly<Record<string, string>> = {
  title: 'Title',
  name: 'Name',
  model: 'Model',
  use: 'Use',
  type: 'Type',
  collection: 'Collection',
  parent: 'Member of',
  published: 'State',
  owner: 'Owner',
  changed_since: 'Changed since',
  changed_until: 'Changed until',
};

const STATES: readonly Choice[] = [
  { value: 'yes', label: 'Published' },
  { value: 'no', label: 'Unpublished' },
];

interface Props {
  readonly data: ContentListData;
  readonly root: string;
  readonly path: string;
}

/** The form with the filters of a list. It works without a script: the filters become the address. */
export function ListFilters({ data, root, path }: Props) {
  const { list, texts, choices, problems, sort } = data;
  const [label, terms] = list === 'node' ? ['title', 'model'] : ['name', 'use'];
  const field = (name: string) => ({
    name,
    label: LABELS[name] ?? name,
    value: texts[name] ?? '',
    error: errorOf(problems, name),
  });
  const help = list === 'node' ? 'The beginning of a word is enough.' : 'Any part of the name.';
  const hasMore = Object.keys(texts).some((name) => name !== label && name !== SHOW);
  return (
    <form class="filters" action={root + path} method="get" aria-label="Filters">
      <div class="filter-first">
        <TextInput {...field(label as string)} type="search" help={help} />
        <button class="button" type="submit">
          Filter
        </button>
      </div>
      <details open={hasMore}>
        <summary>More filters</summary>
        <div class="filter-fields">
          <EntitySelect {...field(terms as string)} options={choices.terms} />
          <Select {...field('type')} options={choices.types} none="Any" />
          <EntitySelect {...field('collection')} options={choices.collections} />
          {list === 'node' && (
            <TextInput
              {...field('parent')}
              autocomplete="off"
              help="The title or the number of any item."
              {...(data.completions && { data: { 'data-completions': root + data.completions } })}
            />
          )}
          <Select {...field('published')} options={STATES} none="Any" />
          <TextInput {...field('owner')} autocomplete="off" />
          <TextInput {...field('changed_since')} type="date" />
          <TextInput {...field('changed_until')} type="date" />
        </div>
      </details>
      {sort && <input type="hidden" name="sort" value={sort} />}
      {texts[SHOW] && <input type="hidden" name={SHOW} value={texts[SHOW]} />}
    </form>
  );
}

interface EntitySelectProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly error: string | undefined;
  /** Undefined if they are too many to offer. */
  readonly options: readonly Choice[] | undefined;
}

/** A field for one of some entities, or for its number if they are too many. */
export function EntitySelect({ options, ...field }: EntitySelectProps) {
  if (options !== undefined) return <Select {...field} options={options} none="Any" />;
  return <TextInput {...field} inputMode="numeric" help="The number at the end of its address." />;
}

/** The choice between works, each once, and all items with their pages. */
export function ShownItems({ data: { shows }, root }: Props) {
  if (shows === undefined) return null;
  const link = (name: 'works' | 'all', label: string) => (
    <li>
      <a href={root + shows[name]} aria-current={name === shows.present ? 'page' : undefined}>
        {label}
      </a>
    </li>
  );
  return (
    <nav aria-label="Shown items">
      <ul class="chips">
        {link('works', 'Works')}
        {link('all', 'All items, with pages')}
      </ul>
    </nav>
  );
}

/** The filters that are set, each as a link that removes it. */
export function ChosenFilters({ data: { chosen }, root, path }: Props) {
  if (chosen.length === 0) return null;
  return (
    <nav aria-label="Chosen filters">
      <ul class="chips">
        {chosen.map(({ name, value, href }) => (
          <li key={name}>
            <a href={root + href}>
              <span class="unseen">Remove the filter </span>
              <span class="soft">{LABELS[name]}: </span>
              <bdi>{value}</bdi>
              <span aria-hidden="true"> ×</span>
            </a>
          </li>
        ))}
        {chosen.length > 1 && (
          <li>
            <a href={root + path}>Remove all filters</a>
          </li>
        )}
      </ul>
    </nav>
  );
}
