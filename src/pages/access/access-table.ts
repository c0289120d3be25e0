import { Type as t } from '@sinclair/typebox';
import { stringify } from 'csv-stringify/sync';
import { entityPath, paths } from '../../paths.ts';
import { findRuledItems, findUsedRules, type RuleList } from '../../repository/access/find-ruled-items.ts';
import { spreadsheetCell } from '../../transfer/table/spreadsheet-cell.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { type Call, parseId } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { describe } from '../../web/openapi/describe.ts';
import { queryOf } from '../../web/parameters.ts';
import { streamText } from '../../web/stream-text.ts';
import { LIST_QUERY } from './list-query.ts';

const CSV_TYPE = 'text/csv';
/** The number of rows that are read at once. */
const ROWS = 1_000;
const COLUMNS = ['node_id', 'title', 'url', 'rule', 'level', 'from', 'until', 'reason', 'contact', 'problem'] as const;

/** The route of all items of a list of rules as a table. */
export const accessTableRoute = (api: ApiServices, access: (call: Call) => void) =>
  resource(api).get(paths.accessTable, ({ call, query }) => answer(call, query.list ?? 'ending', parseId(query.rule)), {
    check: { formats: 'single', access },
    query: queryOf({ ...LIST_QUERY, rule: t.Optional(t.String({ description: 'The number of the only rule.' })) }),
    detail: describe({
      operationId: 'downloadAccessRules',
      tag: 'operation',
      summary: 'Download the items with access rules as a table',
      isForAnyone: false,
      responses: {
        200: {
          description: 'The table in UTF-8, with a row for each item and rule.',
          headers: ['Cache-Control', 'Content-Disposition', 'X-Content-Type-Options'],
          content: { [CSV_TYPE]: t.String() },
        },
      },
      failures: [400, 403],
    }),
  });

function answer(call: Call, list: RuleList, rule: number | undefined): Response {
  const isHead = call.request.method === 'HEAD';
  return new Response(isHead ? null : streamText(call, writeTable(call, list, rule)), {
    headers: {
      'Content-Type': `${CSV_TYPE}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="access-${list}.csv"`,
      'Cache-Control': 'no-store, private',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}

async function* writeTable({ api, actor, baseUrl }: Call, list: RuleList, chosen: number | undefined) {
  const { access, database } = api.services;
  const used = await findUsedRules(database, access, list);
  const rules = new Map(
    used.filter(({ id }) => chosen === undefined || id === chosen).map(({ id, rule }) => [id, rule]),
  );
  yield stringify([[...COLUMNS]]);
  for (let offset = 0; ; offset += ROWS) {
    const rows = await findRuledItems(database, [...rules.keys()], { limit: ROWS, offset });
    const shown = rows.filter((row) => api.kinds.node.access.view(actor, row).isAllowed);
    yield stringify(
      shown.map(({ id, label, ruleId }) => {
        const rule = rules.get(ruleId);
        const texts = [rule?.label, rule?.level, rule?.from, rule?.until, rule?.reason, rule?.contact, rule?.problem];
        return [
          id,
          spreadsheetCell(label),
          baseUrl + entityPath.node(id),
          ...texts.map((text) => spreadsheetCell(text ?? '')),
        ];
      }),
    );
    if (rows.length < ROWS) return;
  }
}
