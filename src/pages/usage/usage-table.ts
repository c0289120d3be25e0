import { Type as t } from '@sinclair/typebox';
import { stringify } from 'csv-stringify/sync';
import { malformed } from '../../base/errors.ts';
import { entityPath, filePath, paths } from '../../paths.ts';
import { findCardsOf } from '../../repository/content/lists/find-cards.ts';
import { findFileUris, readUsage, type UsageStep, type UsageSubject } from '../../repository/usage/find-usage.ts';
import { USAGE_COLUMNS } from '../../repository/usage/usage-columns.ts';
import type { UsagePeriod } from '../../repository/usage/usage-days.ts';
import { spreadsheetCell } from '../../transfer/table/spreadsheet-cell.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { describe } from '../../web/openapi/describe.ts';
import { parameter, queryOf } from '../../web/parameters.ts';
import { streamText } from '../../web/stream-text.ts';
import { PERIOD_QUERY, periodOf } from './usage-period.ts';

const CSV_TYPE = 'text/csv';
const STEPS = ['month', 'day'] as const satisfies readonly UsageStep[];
/** The kinds of rows, by their names in the table. */
const KINDS: Readonly<Record<string, UsageSubject>> = { item: 'item', collection: 'within', file: 'file' };

/** The route of all numbers of a period as a table. */
export const usageTableRoute = (api: ApiServices, access: (call: Call) => void) =>
  resource(api).get(paths.usageTable, ({ call, query }) => answer(call, periodOf(query, call), query.by ?? 'month'), {
    check: { formats: 'single', access },
    query: queryOf({
      ...PERIOD_QUERY,
      by: t.Optional(
        parameter<UsageStep>(
          { type: 'string', enum: STEPS, description: 'A row for each month (default) or day.' },
          (text) => STEPS.some((step) => step === text),
          (value) => malformed(`The query parameter "by" must be month or day, found "${String(value).slice(0, 20)}".`),
        ),
      ),
    }),
    detail: describe({
      operationId: 'downloadUsage',
      tag: 'operation',
      summary: 'Download the usage statistics as a table',
      isForAnyone: false,
      responses: {
        200: {
          description: 'The table in UTF-8, with a row for each item, collection and file and each month or day.',
          headers: ['Cache-Control', 'Content-Disposition', 'X-Content-Type-Options'],
          content: { [CSV_TYPE]: t.String() },
        },
      },
      failures: [400, 403],
    }),
  });

function answer(call: Call, period: UsagePeriod, step: UsageStep): Response {
  const isHead = call.request.method === 'HEAD';
  return new Response(isHead ? null : streamText(call, writeTable(call, period, step)), {
    headers: {
      'Content-Type': `${CSV_TYPE}; charset=utf-8`,
      'Content-Disposition': 'attachment; filename="usage.csv"',
      'Cache-Control': 'no-store, private',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}

async function* writeTable(call: Call, period: UsagePeriod, step: UsageStep): AsyncGenerator<string> {
  const { database } = call.api.services;
  yield stringify([[...USAGE_COLUMNS]]);
  for (const [kind, subject] of Object.entries(KINDS))
    for await (const rows of readUsage(database, subject, period, step)) {
      const names = await (subject === 'file' ? nameFiles : nameNodes)(call, [...new Set(rows.map(({ id }) => id))]);
      yield stringify(
        rows.map(({ id, date, views, uniqueViews, downloads, uniqueDownloads }) => [
          ...[kind, id, ...(names.get(id) ?? ['', ''])],
          ...[date, views, uniqueViews, downloads, uniqueDownloads],
        ]),
      );
    }
}

/** The title and address of a subject. */
type Name = readonly [title: string, url: string];

async function nameNodes({ api, actor, baseUrl }: Call, ids: readonly number[]): Promise<ReadonlyMap<number, Name>> {
  const cards = await findCardsOf(api.services, actor, ids);
  return new Map(cards.map(({ id, label }) => [id, [spreadsheetCell(label), baseUrl + entityPath.node(id)]]));
}

async function nameFiles({ api, baseUrl }: Call, ids: readonly number[]): Promise<ReadonlyMap<number, Name>> {
  const uris = await findFileUris(api.services.database, ids);
  return new Map(Array.from(uris, ([id, uri]) => [id, [spreadsheetCell(uri), baseUrl + filePath(uri)]]));
}
