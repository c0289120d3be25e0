import { actionAccess } from '../../bulk/action-access.ts';
import { ACTIONS_OF } from '../../bulk/bulk-action.ts';
import { paths } from '../../paths.ts';
import { mediaOverviewAccess, nodeOverviewAccess } from '../../repository/core-right.ts';
import { findPage } from '../../repository/lists/find-page.ts';
import type { ListPage } from '../../repository/lists/list-question.ts';
import { findListRows } from '../../repository/lists/list-rows.ts';
import { requireRecords } from '../../repository/search-index/require-records.ts';
import type { AdminPage } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer } from '../../web/form-answer.ts';
import { PAGE_FORMATS, parametersOf } from '../../web/formats.ts';
import { placeIn, sealPlace } from '../../web/list-place.ts';
import { defineAdminPage } from '../admin/define-admin-page.ts';
import type { ContentListData, ManagedList } from './content-list-data.ts';
import { contentListPage } from './content-list-page.tsx';
import { findChoices } from './find-choices.ts';
import { memberCompletions } from './find-works.ts';
import { encoded, type ListOrder, orderIn, orderOfColumn } from './list-page-query.ts';
import { ALL, FILTER_NAMES, type ReadFilters, readFilters, SHOW } from './read-filters.ts';

const PAGE_SIZE = 50;

/** The path of each list, and the access to it. */
export const MANAGED_LISTS = {
  node: { path: paths.nodeOverview, access: nodeOverviewAccess },
  media: { path: paths.mediaOverview, access: mediaOverviewAccess },
} as const;

/** The list of all nodes for editors. */
export const nodesAdminPage = listPage('node', 'Content', 'All items: find, publish, move and delete many at once.');

/** The list of all media for editors. */
export const mediaAdminPage = listPage('media', 'Media', 'Files and derivatives of all items.');

function listPage(list: ManagedList, label: string, description: string): AdminPage {
  const { path, access: permission } = MANAGED_LISTS[list];
  return defineAdminPage({
    ...{ path, label, description, group: 'content', permission },
    routes: (api, access) =>
      resource(api).get(path, ({ call }) => answer(call, list), { check: { formats: PAGE_FORMATS, access } }),
  });
}

async function answer(call: Call, list: ManagedList): Promise<Response> {
  const { api, actor, request } = call;
  const { database } = api.services;
  const query = parametersOf(request.url);
  const choices = await findChoices(call, list);
  const filters = await readFilters(call, list, query, choices);
  const order = orderIn(list, query);
  const identity = { list, filters: filters.values, sort: order.sort, isDescending: order.isDescending };
  const after = query.get('after') ?? undefined;
  const before = query.get('before') ?? undefined;
  const { part, total: known } = placeIn(call, identity, { after, before });
  if (list === 'node') await requireRecords(database);
  const isInvalid = filters.problems.length > 0;
  const page: ListPage = isInvalid
    ? { rows: [], hasNext: false, hasPrevious: false, total: 0 }
    : await findPage(database, actor, { ...identity, part, size: PAGE_SIZE });
  const total = page.total ?? known;
  const rows = await findListRows(
    database,
    actor,
    list,
    page.rows.map(({ id }) => id),
  );
  const { bundles } = api.kinds[list];
  const data: ContentListData = {
    ...{ list, texts: filters.texts, problems: filters.problems, choices, total },
    chosen: chosenFilters(list, filters, order),
    sort: order.text,
    sorts: { label: sortLink(list, 'label', filters, order), changed: sortLink(list, 'changed', filters, order) },
    rows: rows.map((row) => ({ ...row, type: bundles.get(row.bundle)?.label ?? row.bundle })),
    links: pageLinks(call, list, filters, order, page, total),
    shows: filters.shows && {
      present: filters.shows,
      works: addressOf(list, { ...filters.texts, [SHOW]: undefined, sort: order.text }),
      all: addressOf(list, { ...filters.texts, [SHOW]: ALL, sort: order.text }),
    },
    completions: list === 'node' ? memberCompletions(api) : undefined,
    actions: ACTIONS_OF[list].filter((action) => actionAccess(actor, action).isAllowed),
    filter: encoded(filters.texts),
  };
  return formAnswer(contentListPage(data, call.site), isInvalid ? 422 : 200);
}

/** Returns the address of a list. */
function addressOf(list: ManagedList, pairs: Readonly<Record<string, string | undefined>>): string {
  const query = encoded(pairs);
  return MANAGED_LISTS[list].path + (query === '' ? '' : `?${query}`);
}

function chosenFilters(list: ManagedList, { texts, shown }: ReadFilters, { text: sort }: ListOrder) {
  return FILTER_NAMES[list].flatMap((name) => {
    const value = shown.get(name);
    if (value === undefined) return [];
    return [{ name, value, href: addressOf(list, { ...texts, [name]: undefined, sort }) }];
  });
}

function sortLink(list: ManagedList, column: 'label' | 'changed', { texts }: ReadFilters, order: ListOrder) {
  const next = orderOfColumn(list, column, order);
  const isPresent = (order.sort === 'changed') === (column === 'changed');
  const direction = order.isDescending ? ('descending' as const) : ('ascending' as const);
  return {
    href: addressOf(list, { ...texts, sort: next === '-changed' ? undefined : next }),
    direction: isPresent ? direction : undefined,
  };
}

function pageLinks(
  call: Call,
  list: ManagedList,
  { texts, values }: ReadFilters,
  { text: sort, ...order }: ListOrder,
  { rows, hasNext, hasPrevious }: ListPage,
  total: number | undefined,
): ContentListData['links'] {
  const identity = { list, filters: values, sort: order.sort, isDescending: order.isDescending };
  const link = (place: Readonly<Record<string, string>> = {}) => addressOf(list, { ...texts, sort, ...place });
  const [first, last] = [rows[0], rows.at(-1)];
  return {
    ...(hasPrevious && { first: link() }),
    ...(hasPrevious && {
      previous: link({ before: sealPlace(call, identity, 'before', first ?? 'end', total) }),
    }),
    ...(hasNext && last !== undefined && { next: link({ after: sealPlace(call, identity, 'after', last, total) }) }),
    ...(hasNext && { last: link({ before: sealPlace(call, identity, 'before', 'end', total) }) }),
  };
}
