import { Type as t } from '@sinclair/typebox';
import { malformed } from '../../base/errors.ts';
import { MAX_ITEMS } from '../../bulk/bulk-action.ts';
import { paths } from '../../paths.ts';
import { nodeOverviewAccess } from '../../repository/core-right.ts';
import type { ChangesSelection } from '../../transfer/export/changes-table.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { type Call, parseId } from '../../web/call.ts';
import { type Rules, resource } from '../../web/check.ts';
import { parametersOf } from '../../web/formats.ts';
import { describe } from '../../web/openapi/describe.ts';
import { queryOf } from '../../web/parameters.ts';
import { streamText } from '../../web/stream-text.ts';
import { findSelection, parseSelected, selectionFields } from './bulk-selection.ts';

const RULES: Rules = { formats: 'single', access: (call) => call.allow(nodeOverviewAccess(call.actor)) };
const CSV_TYPE = 'text/csv';
const optional = (description: string) => t.Optional(t.String({ description }));

/** The route of selected items as a table of changes. */
export const changesTableRoutes = (api: ApiServices) =>
  resource(api).get(paths.changesTable, ({ call }) => answer(call), {
    check: RULES,
    query: queryOf({
      members_of: optional('The id of an item, for its direct and indirect members.'),
      entry: optional('The id of an item. It may be repeated.'),
      all: optional('`1` for all that match `filter`.'),
      filter: optional('The query of the list of items.'),
      kind: optional('`node`.'),
      action: optional('Ignored: the list of items has it in the same form.'),
    }),
    detail: describe({
      operationId: 'downloadChangesTable',
      tag: 'pages',
      summary: 'Download items as a table of changes',
      isForAnyone: false,
      responses: {
        200: {
          description: 'The table in UTF-8, as `repo export --for-update` writes it.',
          headers: ['Cache-Control', 'Content-Disposition', 'X-Content-Type-Options'],
          content: { [CSV_TYPE]: t.String() },
        },
      },
      failures: [400, 403],
    }),
  });

async function answer(call: Call): Promise<Response> {
  const { api, actor, request } = call;
  const { services, kinds } = api;
  const { changesTable } = await import('../../transfer/export/changes-table.ts');
  const rows = changesTable({ services, kinds, actor }, await selectionOf(call), request.signal);
  return new Response(request.method === 'HEAD' ? null : streamText(call, rows), {
    headers: {
      'Content-Type': `${CSV_TYPE}; charset=utf-8`,
      'Content-Disposition': 'attachment; filename="changes.csv"',
      'Cache-Control': 'no-store, private',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}

async function selectionOf(call: Call): Promise<ChangesSelection> {
  const query = parametersOf(call.request.url);
  const one = (name: string) => query.get(name) ?? undefined;
  const parent = one('members_of');
  if (parent !== undefined) {
    const membersOf = parseId(parent);
    if (membersOf === undefined) throw malformed('The parameter "members_of" must be an id.');
    return { membersOf };
  }
  const items = parseSelected({ ...selectionFields(query), kind: 'node' });
  const { ids, isTooMany } = await findSelection(call, items);
  if (isTooMany)
    throw malformed(`These are more than ${MAX_ITEMS.toLocaleString('en-GB')} items. Filter the list further.`);
  if (ids.length === 0) throw malformed('No item is selected. Go back to the list, and select at least one.');
  return { ids };
}
