import { malformed, ServiceError } from '../../base/errors.ts';
import { MAX_ITEMS } from '../../bulk/bulk-action.ts';
import { findRun } from '../../bulk/find-runs.ts';
import { itemsOfRun } from '../../bulk/run-queries.ts';
import { permissionAccess } from '../../repository/access.ts';
import { findIds } from '../../repository/lists/find-page.ts';
import { requireRecords } from '../../repository/search-index/require-records.ts';
import { listNodes } from '../../search/search-nodes.ts';
import { findImported } from '../../transfer/table-uploads/find-imported.ts';
import { findTableUpload } from '../../transfer/table-uploads/table-upload-store.ts';
import { type Call, parseId } from '../../web/call.ts';
import { searchStateOf } from '../../web/search-query.ts';
import type { ItemSource } from './bulk-data.ts';
import type { ManagedList } from './content-list-data.ts';
import { findChoices } from './find-choices.ts';
import { readFilters } from './read-filters.ts';

/** The number of ids that are read of a source: one more than a change may have. */
const LIMIT = MAX_ITEMS + 1;

/** Returns the ids of all items of a source. Throws `malformed` for a source that no page has for the caller. */
export function idsOfSource(call: Call, kind: ManagedList, { of, text }: ItemSource): Promise<readonly number[]> {
  switch (of) {
    case 'filter':
      return idsThatMatch(call, kind, text);
    case 'search':
      return idsFound(call, kind, text);
    case 'import':
      return idsOfImport(call, kind, text);
    case 'run':
      return idsOfRun(call, kind, text);
    default:
      return of satisfies never;
  }
}

async function idsThatMatch(call: Call, kind: ManagedList, filter: string): Promise<number[]> {
  const { database } = call.api.services;
  const filters = await readFilters(call, kind, new URLSearchParams(filter), await findChoices(call, kind));
  // An invalid filter must not select everything.
  if (filters.problems.length > 0) throw malformed('The parameter "filter" is not one of a list.');
  if (kind === 'node') await requireRecords(database);
  const ids: number[] = [];
  for await (const group of findIds(database, call.actor, kind, filters.values)) {
    ids.push(...group);
    if (ids.length > MAX_ITEMS) break;
  }
  return ids;
}

async function idsFound(call: Call, kind: ManagedList, query: string): Promise<readonly number[]> {
  const { api, actor, client } = call;
  if (kind !== 'node') throw malformed('A search finds items only: "kind" must be node.');
  const { text, filters, from, to, pages } = searchStateOf(query, api.services.model);
  const question = { text, filters, from, to, sort: 'newest', groupsPages: pages === 'together' } as const;
  const { nids, isBuilding } = await listNodes(api, actor, question, LIMIT, client);
  if (isBuilding !== undefined)
    throw new ServiceError('conflict', 'The search index is being built: the results are incomplete. Try again later.');
  return nids;
}

async function idsOfImport(call: Call, kind: ManagedList, text: string): Promise<readonly number[]> {
  const { database } = call.api.services;
  const id = parseId(text);
  const upload = id === undefined ? undefined : await findTableUpload(database, id);
  if (upload === undefined || upload.userId !== call.actor.id) throw malformed('You have imported no such table.');
  return findImported(database, kind, upload, LIMIT);
}

async function idsOfRun(call: Call, kind: ManagedList, text: string): Promise<readonly number[]> {
  const { database } = call.api.services;
  const id = parseId(text);
  const run = id === undefined ? undefined : await findRun(database, id);
  const mayView =
    run?.userId === call.actor.id || permissionAccess(call.actor, 'administer site configuration').isAllowed;
  if (run === undefined || !mayView) throw malformed('There is no such bulk change.');
  if (run.type !== kind) throw malformed(`The items of this change are of the kind ${run.type}.`);
  return (await database.all(itemsOfRun({ runId: run.id, limit: LIMIT }))).map((item) => item.entityId);
}
