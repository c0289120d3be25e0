import { type Static, Type as t } from '@sinclair/typebox';
import { paths } from '../../paths.ts';
import { findRuledItems, findUsedRules, type UsedRule } from '../../repository/access/find-ruled-items.ts';
import { nodeOverviewAccess } from '../../repository/core-right.ts';
import { type Call, parseId } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { queryOf } from '../../web/parameters.ts';
import { defineAdminPage } from '../admin/define-admin-page.ts';
import { accessReportPage } from './access-report-page.tsx';
import { accessTableRoute } from './access-table.ts';
import { LIST_QUERY } from './list-query.ts';

/** The number of items of a page. */
const ITEMS_PER_PAGE = 100;

const QUERY = queryOf({
  ...LIST_QUERY,
  rule: t.Optional(t.String({ description: 'The number of the only rule whose items are listed.' })),
  page: t.Optional(t.String({ description: 'The page of the list, from 0.' })),
});

/** The lists of access rules and of the items that have them, and the table of these. */
export const accessAdminPage = defineAdminPage({
  path: paths.accessReport,
  label: 'Access',
  description: 'Access rules that end soon, embargoes, restricted items by rule, and broken rules.',
  permission: nodeOverviewAccess,
  routes: (api, access) =>
    resource(api)
      .get(paths.accessReport, async ({ call, query }) => answer(call, query), {
        check: { formats: PAGE_FORMATS, access },
        query: QUERY,
      })
      .use(accessTableRoute(api, access)),
});

async function answer(call: Call, query: Static<typeof QUERY>): Promise<Response> {
  const { api, actor, site } = call;
  const { access, database, model } = api.services;
  const { list = 'ending' } = query;
  const all = await findUsedRules(database, access, list);
  const chosen = parseId(query.rule);
  const rules: UsedRule[] = chosen === undefined ? all : all.filter(({ id }) => id === chosen);
  const page = Number(/^\d{1,6}$/.test(query.page ?? '') ? query.page : 0);
  const isListed = list !== 'all' || chosen !== undefined;
  const rows = isListed
    ? await findRuledItems(
        database,
        rules.map(({ id }) => id),
        { limit: ITEMS_PER_PAGE + 1, offset: page * ITEMS_PER_PAGE },
      )
    : [];
  const items = rows.slice(0, ITEMS_PER_PAGE).filter((row) => api.kinds.node.access.view(actor, row).isAllowed);
  return formAnswer(
    accessReportPage(
      { list, rules, chosen, page, items, hasMore: rows.length > ITEMS_PER_PAGE, model, today: access.today },
      site,
    ),
  );
}
