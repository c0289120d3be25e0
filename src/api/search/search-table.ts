import { randomUUID } from 'node:crypto';
import { stringify } from 'csv-stringify/sync';
import { numberText } from '../../base/in-words.ts';
import { contentDisposition } from '../../http/content-disposition.ts';
import { etagOf } from '../../http/etag.ts';
import { checkPreconditions } from '../../http/preconditions.ts';
import { entityPath } from '../../paths.ts';
import { findCardsOf } from '../../repository/content/lists/find-cards.ts';
import { findFirstParents } from '../../repository/content/read/find-breadcrumbs.ts';
import { nodeOverviewAccess } from '../../repository/core-right.ts';
import { stale } from '../../repository/errors.ts';
import { MAX_TABLE_ROWS, type SearchState, type TABLE_COLUMNS } from '../../representation/search/search-state.ts';
import { listNodes } from '../../search/search-nodes.ts';
import type { SearchList } from '../../search/search-types.ts';
import { spreadsheetCell } from '../../transfer/table/spreadsheet-cell.ts';
import type { Call } from '../../web/call.ts';
import { answerKey } from '../../web/content-links.ts';
import { queryText } from '../../web/formats.ts';
import { VARY_BY_ACCEPT, VARY_BY_CALLER } from '../../web/respond.ts';
import { spend } from '../../web/spend.ts';
import { streamText } from '../../web/stream-text.ts';

export const CSV_TYPE = 'text/csv';
const FILE_NAME = 'search-results.csv';
const CHANGES_FILE_NAME = 'changes.csv';
const COLUMNS = ['nid', 'uuid', 'title', 'url', 'type', 'model', 'date', 'member_of', 'thumbnail'];
/** The number of results that are read at a time. */
const ROWS_AT_ONCE = 500;

/**
 * Returns the results of a search as a table from the first one, at most `MAX_TABLE_ROWS`, in the order of the page. Rows are
 * read as the client reads them. `X-Total-Count` is the number of results; `X-Repo-Notice` says what the table lacks.
 */
export async function answerTable(
  call: Call,
  state: SearchState,
  { ignored, columns }: { readonly ignored: readonly string[]; readonly columns: (typeof TABLE_COLUMNS)[number] },
): Promise<Response> {
  const { api, actor, client, request, isNegotiated } = call;
  const isForChanges = columns === 'changes';
  if (isForChanges) call.require(nodeOverviewAccess(actor));
  // The state must precede the reads. Another process may have changed the rows of an unknown one.
  const version = api.answers.state() ?? randomUUID();
  const { text, filters, from, to, sort } = state;
  const query = { text, filters, from, to, sort };
  const list = await spend(call, 'export', () => listNodes(api, actor, query, MAX_TABLE_ROWS, client));
  const etag = etagOf(`${version} ${api.edition} ${answerKey(call, queryText(request))}`);
  const notices = [...ignored, ...list.ignored, ...lacks(list)];
  const headers = {
    'Content-Type': `${CSV_TYPE}; charset=utf-8`,
    'Content-Disposition': contentDisposition('attachment', isForChanges ? CHANGES_FILE_NAME : FILE_NAME),
    'Cache-Control': 'must-revalidate, no-cache, private',
    'Content-Language': 'en',
    'X-Content-Type-Options': 'nosniff',
    ETag: etag,
    'X-Total-Count': String(list.total),
    Vary: isNegotiated ? VARY_BY_ACCEPT : VARY_BY_CALLER,
    ...(notices.length > 0 && { 'X-Repo-Notice': notices.join(' ') }),
  };
  const outcome = checkPreconditions(request.method, request.headers, { etag, lastModified: undefined });
  if (outcome === 'failed') throw stale();
  if (outcome === 'not-modified') return new Response(null, { status: 304, headers });
  if (request.method === 'HEAD') return new Response(null, { headers });
  const { services, kinds } = api;
  const changes = async () => {
    // Exports are rare, and their modules take some megabytes of a server.
    const { changesTable } = await import('../../transfer/export/changes-table.ts');
    return changesTable({ services, kinds, actor }, { ids: list.nids }, request.signal);
  };
  const rows = isForChanges ? await changes() : writeTable(call, list.nids);
  return new Response(streamText(call, rows), { headers });
}

function lacks({ total, isBuilding }: SearchList): string[] {
  const isCut = total > MAX_TABLE_ROWS;
  return [
    ...(isCut ? [`The table has the first ${numberText(MAX_TABLE_ROWS)} of ${numberText(total)} results.`] : []),
    ...(isBuilding === undefined ? [] : ['The search index is being built: the results are incomplete.']),
  ];
}

async function* writeTable(call: Call, nids: readonly number[]): AsyncGenerator<string> {
  const { api, actor, baseUrl } = call;
  yield stringify([COLUMNS]);
  for (let start = 0; start < nids.length; start += ROWS_AT_ONCE) {
    const begun = performance.now();
    const ids = nids.slice(start, start + ROWS_AT_ONCE);
    const [cards, parents] = await Promise.all([
      findCardsOf(api.services, actor, ids),
      findFirstParents(api.services, actor, ids),
    ]);
    const rows = cards.map(({ id, uuid, label, bundle, model = '', date = '', thumbnail }) => [
      ...[String(id), uuid, label, baseUrl + entityPath.node(id), bundle, model, date],
      ...[parents.get(id)?.label ?? '', thumbnail === undefined ? '' : baseUrl + thumbnail.path],
    ]);
    const text = stringify(rows.map((row) => row.map(spreadsheetCell)));
    call.expense?.add(performance.now() - begun);
    yield text;
  }
}
