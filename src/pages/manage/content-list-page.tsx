import { numberText } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, paths } from '../../paths.ts';
import { MAX_COUNTED_MEMBERS } from '../../repository/lists/list-rows.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { formPage } from '../forms/form-page.tsx';
import { ScrollFrame } from '../scroll-frame.tsx';
import type { ContentListData, SortLink } from './content-list-data.ts';
import { ChosenFilters, ListFilters, ShownItems } from './list-filters.tsx';
import { ListLinks } from './list-links.tsx';
import { ManageTabs } from './manage-tabs.tsx';
import { ACTION_LABELS, countedEntries, timeText } from './manage-words.ts';

/** Returns a list of nodes or media for editors, with the form that changes many of them. */
export function contentListPage(data: ContentListData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { list, rows, total, problems } = data;
  const path = list === 'node' ? paths.nodeOverview : paths.mediaOverview;
  const own = { data, root, path };
  return formPage({
    site,
    heading: list === 'node' ? 'Content' : 'Media',
    errors: problems,
    isWide: true,
    styles: list === 'node' ? ['fields.css', 'table.css', 'manage.css'] : ['table.css', 'manage.css'],
    modules: ['bulk-list.js'],
    children: (
      <>
        <ManageTabs site={site} root={root} path={path} />
        <ListFilters {...own} />
        <ChosenFilters {...own} />
        <ShownItems {...own} />
        {rows.length === 0 ? <NoRows data={data} /> : <Rows data={data} root={root} total={total} />}
        <ListLinks links={data.links} root={root} />
      </>
    ),
  });
}

function NoRows({ data: { chosen, list, problems } }: { readonly data: ContentListData }) {
  if (problems.length > 0) return null;
  const noun = list === 'node' ? 'items' : 'media';
  return (
    <p class="empty" role="status">
      {chosen.length > 0 ? `No ${noun} match these filters. Remove one of them.` : `There are no ${noun} yet.`}
    </p>
  );
}

interface RowsProps {
  readonly data: ContentListData;
  readonly root: string;
  readonly total: number | undefined;
}

function Rows({ data, root, total }: RowsProps) {
  const { list, rows, sorts, filter } = data;
  const noun = list === 'node' ? 'item' : 'media';
  return (
    <form class="bulk-list" action={root + paths.bulkConfirm} method="get">
      <input type="hidden" name="kind" value={list} />
      <input type="hidden" name="filter" value={filter} />
      <ScrollFrame label={list === 'node' ? 'Items' : 'Media'}>
        <table class="rows">
          <caption>{total === undefined ? `More than ${rows.length}` : countedEntries(total, list)}</caption>
          <thead>
            <tr>
              <th class="box">
                <span class="unseen">Select</span>
                <input type="checkbox" data-all aria-label="Select all on this page" hidden />
              </th>
              <SortHeading label={list === 'node' ? 'Title' : 'Name'} sort={sorts.label} root={root} />
              <th scope="col">{list === 'node' ? 'Model' : 'Use'}</th>
              <th scope="col">{list === 'node' ? 'Type' : 'Item'}</th>
              {list === 'node' && <th scope="col">Members</th>}
              <th scope="col">State</th>
              <th scope="col">Owner</th>
              <SortHeading label="Changed" sort={sorts.changed} root={root} />
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.id}>
                <td class="box">
                  <input type="checkbox" name="entry" value={row.id} aria-label={`Select ${noun} ${row.label}`} />
                </td>
                <th scope="row">
                  <a href={root + entityPath[list](row.id)} dir="auto">
                    {row.label}
                  </a>
                </th>
                <td>{row.terms ?? ''}</td>
                <td>{list === 'node' ? row.type : <Host row={row} root={root} />}</td>
                {list === 'node' && (
                  <td class="number">
                    <Members row={row} root={root} />
                  </td>
                )}
                <td>{row.isPublished ? 'Published' : <strong>Unpublished</strong>}</td>
                <td>
                  <bdi>{row.ownerName ?? ''}</bdi>
                </td>
                <td class="time">{timeText(row.changed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollFrame>
      <BulkBar data={data} root={root} />
    </form>
  );
}

/** The number of members of an item, as a link to their list. */
function Members({
  row: { id, label, members },
  root,
}: {
  readonly row: ContentListData['rows'][number];
  readonly root: string;
}) {
  if (!members) return null;
  return (
    <a href={`${root}${paths.nodeOverview}?parent=${id}`}>
      {members > MAX_COUNTED_MEMBERS ? `more than ${numberText(MAX_COUNTED_MEMBERS)}` : numberText(members)}
      <span class="unseen"> members of {label}</span>
    </a>
  );
}

function Host({ row, root }: { readonly row: ContentListData['rows'][number]; readonly root: string }) {
  if (row.nodeId === null) return <span class="soft">None</span>;
  return (
    <a href={root + entityPath.node(row.nodeId)} dir="auto">
      {row.nodeLabel}
    </a>
  );
}

function SortHeading({
  label,
  sort,
  root,
}: {
  readonly label: string;
  readonly sort: SortLink;
  readonly root: string;
}) {
  const { direction } = sort;
  return (
    <th scope="col" aria-sort={direction}>
      <a href={root + sort.href}>
        {label}
        {direction && <span aria-hidden="true">{direction === 'ascending' ? ' ↑' : ' ↓'}</span>}
      </a>
    </th>
  );
}

/** The bar that appears with the first selection. */
function BulkBar({
  data: { actions, list, total, rows },
  root,
}: {
  readonly data: ContentListData;
  readonly root: string;
}) {
  const hasMore = total === undefined || total > rows.length;
  return (
    <div class="action-bar bulk-bar">
      <span class="selected" role="status" data-count />
      {hasMore && (
        <label class="all">
          <input type="checkbox" name="all" value="1" />
          {total === undefined ? 'All that match the filters' : `All ${countedEntries(total, list)} that match`}
        </label>
      )}
      <label for="action">Action</label>
      <select id="action" name="action" class="short">
        {actions.map((action) => (
          <option key={action} value={action}>
            {ACTION_LABELS[action]}
          </option>
        ))}
      </select>
      <button class="button" type="submit">
        Continue
      </button>
      {list === 'node' && (
        <button class="button quiet" type="submit" formAction={root + paths.changesTable}>
          Export for changes
        </button>
      )}
    </div>
  );
}
