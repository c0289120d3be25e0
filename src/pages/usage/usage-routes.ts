import { paths } from '../../paths.ts';
import { findCardsOf } from '../../repository/content/lists/find-cards.ts';
import { findFileUris, findMostUsed, findUsageByMonth, type UsageSubject } from '../../repository/usage/find-usage.ts';
import type { UsagePeriod } from '../../repository/usage/usage-days.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { queryOf } from '../../web/parameters.ts';
import { defineAdminPage } from '../admin/define-admin-page.ts';
import { type UsageData, type UsedSubject, usagePage } from './usage-page.tsx';
import { PERIOD_QUERY, periodOf } from './usage-period.ts';
import { usageTableRoute } from './usage-table.ts';

/** The number of items, collections and files on the page. */
const MOST_USED = 25;

/** The page of the usage statistics, and the table of all numbers. */
export const usageAdminPage = defineAdminPage({
  path: paths.usage,
  label: 'Use',
  description: 'Views and downloads of items, collections and files, by the rules of COUNTER.',
  permission: 'access site reports',
  routes: (api, access) =>
    resource(api)
      .get(
        paths.usage,
        async ({ call, query }) => formAnswer(usagePage(await gather(call, periodOf(query, call)), call.site)),
        { check: { formats: PAGE_FORMATS, access }, query: queryOf(PERIOD_QUERY) },
      )
      .use(usageTableRoute(api, access)),
});

async function gather(call: Call, period: UsagePeriod): Promise<UsageData> {
  const { api, actor } = call;
  const { services } = api;
  const { database } = services;
  const most = (subject: UsageSubject) => findMostUsed(database, subject, period, MOST_USED);
  const [months, items, collections, files] = await Promise.all([
    findUsageByMonth(database, period),
    most('item'),
    most('within'),
    most('file'),
  ]);
  const ids = [...items, ...collections].map(({ id }) => id);
  const [cards, uris] = await Promise.all([
    findCardsOf(services, actor, [...new Set(ids)]),
    findFileUris(
      database,
      files.map(({ id }) => id),
    ),
  ]);
  const labels = new Map(cards.map(({ id, label }) => [id, label]));
  const named = (rows: typeof items, names: ReadonlyMap<number, string>): UsedSubject[] =>
    rows.map((row) => ({ ...row, label: names.get(row.id) }));
  return {
    ...{ period, months, isCounting: api.usage.counter !== undefined },
    items: named(items, labels),
    collections: named(collections, labels),
    files: named(files, uris),
  };
}
