import { Type as t } from '@sinclair/typebox';
import { type Link, linkHeader } from '../../http/link-header.ts';
import { permissionAccess } from '../../repository/access.ts';
import { ALLOWED } from '../../repository/access-rule.ts';
import { readListed } from '../../repository/content/lists/lists.ts';
import { findPage } from '../../repository/lists/find-page.ts';
import type { FilterValues, ListPage, ListSort } from '../../repository/lists/list-question.ts';
import { requireRecords } from '../../repository/search-index/require-records.ts';
import { userViewAccess } from '../../repository/user-access.ts';
import { contentJson } from '../../representation/content-json.ts';
import { fileJson } from '../../representation/file-json.ts';
import { userJson } from '../../representation/user-json.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { chooseFormat, type Formats, JSON_FORMATS } from '../../web/formats.ts';
import { type ListIdentity, placeIn, sealPlace } from '../../web/list-place.ts';
import { type Description, describe, listOf } from '../../web/openapi/describe.ts';
import { queryOf } from '../../web/parameters.ts';
import { empty, json, VARY_BY_ACCEPT } from '../../web/respond.ts';
import { type EntityList, entityLists } from './entity-lists.ts';
import { answerList } from './list-answer.ts';
import { DEFAULT_SIZE, pageParameters } from './list-parameters.ts';

const BROWSER_FORMATS: Formats = { ...JSON_FORMATS, html: 'text/html' };
const REDIRECTED: Description['responses'] = {
  303: { description: 'The pages for readers, for a browser.', headers: ['Location', 'Cache-Control', 'Vary'] },
};

type Query = Readonly<Record<string, string | undefined>>;

/** Routes of the lists of nodes, media, terms, files and users, in pages that follow each other by their last entry. */
export function entityListRoutes(api: ApiServices) {
  const app = resource(api);
  for (const list of entityLists(api.services.model)) {
    const { name, path, operationId, noun, description, entry, sorts, filters, pages, access } = list;
    app.get(path, async ({ call, query }) => answer(call, list, query), {
      check: { resource: `list.${name}`, access: (call: Call) => call.allow(access?.(call.actor) ?? ALLOWED) },
      query: queryOf({
        ...Object.fromEntries(filters.map((each) => [each.name, t.Optional(each.schema)])),
        ...pageParameters(sorts),
      }),
      detail: describe({
        operationId,
        tag: 'lists',
        summary: `List ${noun}`,
        description: `${description} \`Link\` has the first, previous, next and last page.`,
        responses: { ...listOf(entry, ['Link', 'X-Total-Count']), ...(pages !== undefined && REDIRECTED) },
        failures: [403],
      }),
    });
  }
  return app;
}

async function answer(call: Call, list: EntityList, query: Query): Promise<Response> {
  if (list.pages !== undefined && isBrowser(call)) return redirect(call, list.pages(call.actor));
  const filters = filtersIn(list, query);
  if (filters.role !== undefined) call.allow(permissionAccess(call.actor, 'administer users'));
  const { sort = list.sorts[0] ?? 'id', size = String(DEFAULT_SIZE), after, before } = query;
  const isDescending = sort.startsWith('-');
  const identity = { list: list.name, filters, sort: sort.replace('-', '') as ListSort, isDescending };
  const { part, total: known } = placeIn(call, identity, { after, before });
  const { database } = call.api.services;
  if (list.name === 'node') await requireRecords(database);
  const page = await findPage(database, call.actor, { ...identity, part, size: Number(size) });
  const total = page.total ?? known;
  const headers: Record<string, string> = { Link: linkHeader(pageLinks(call, list, query, identity, page, total)) };
  if (total !== undefined) headers['X-Total-Count'] = String(total);
  if (list.pages !== undefined) headers.Vary = VARY_BY_ACCEPT;
  return answerPage(call, list, page, headers);
}

function filtersIn({ filters }: EntityList, query: Query): FilterValues {
  const given = filters.flatMap((each) => {
    const text = query[each.name];
    return text === undefined ? [] : [[each.filter, each.valueOf(text)] as const];
  });
  return Object.fromEntries(given);
}

/** Returns true for a request that prefers pages and names no format. */
function isBrowser({ request, baseUrl }: Call): boolean {
  return chooseFormat(request, BROWSER_FORMATS, baseUrl).format === 'html';
}

function redirect({ baseUrl }: Call, path: string): Response {
  return empty(303, {
    Location: `${baseUrl}${path}`,
    'Cache-Control': 'private, no-cache',
    Vary: VARY_BY_ACCEPT,
  });
}

/** Returns the links to the first, previous, next and last page (RFC 8288). */
function pageLinks(
  call: Call,
  { path, filters }: EntityList,
  query: Query,
  identity: ListIdentity,
  { rows, hasNext, hasPrevious }: ListPage,
  total: number | undefined,
): Link[] {
  const kept = [...filters.map(({ name }) => name), 'sort', 'size'].flatMap((name) => {
    const text = query[name];
    return text === undefined ? [] : [[name, text] as const];
  });
  const link = (rel: string, ...place: readonly (readonly [string, string])[]): Link => ({
    href: `${call.baseUrl}${path}?${new URLSearchParams([['_format', 'json'], ...kept, ...place].map(([a = '', b = '']) => [a, b]))}`,
    rel,
  });
  const seal = (name: 'after' | 'before', position: Parameters<typeof sealPlace>[3]) =>
    [name, sealPlace(call, identity, name, position, total)] as const;
  const last = rows.at(-1);
  return [
    link('first'),
    ...(hasPrevious ? [link('prev', seal('before', rows[0] ?? 'end'))] : []),
    ...(hasNext && last !== undefined ? [link('next', seal('after', last))] : []),
    ...(hasNext || hasPrevious ? [link('last', seal('before', 'end'))] : []),
  ];
}

async function answerPage(
  call: Call,
  { name }: EntityList,
  { rows }: ListPage,
  headers: Record<string, string>,
): Promise<Response> {
  const { services, kinds, findFile, findUser } = call.api;
  const ids = rows.map(({ id }) => id);
  if (name === 'file') return json(`[${(await findFile.byIds(ids)).map(fileJson).join(',')}]`, 200, headers);
  if (name === 'user') {
    const users = (await findUser.byIds(ids)).filter(({ row }) => userViewAccess(call.actor, row).isAllowed);
    const entries = users.map((user) => userJson(user, call.actor, services.model, call.baseUrl));
    return json(`[${entries.join(',')}]`, 200, headers);
  }
  return answerList(call, readListed(services, kinds[name], ids), (each) => contentJson(each, call), headers);
}
