import { countInWords } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { dateInWords } from '../../field-types/display/date-in-words.ts';
import type { ContentModel } from '../../model/content-model.ts';
import { entityPath, paths } from '../../paths.ts';
import { type RuledItem, type RuleList, SOON_DAYS, type UsedRule } from '../../repository/access/find-ruled-items.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { reportPage } from '../admin/report-frame.tsx';
import { DataTable } from '../data-table.tsx';
import { ruleInWords } from './access-words.ts';

/** A list of rules with a page of the items that have them. */
export interface AccessReport {
  readonly list: RuleList;
  readonly rules: readonly UsedRule[];
  /** The only rule whose items are listed. */
  readonly chosen: number | undefined;
  readonly page: number;
  readonly items: readonly RuledItem[];
  readonly hasMore: boolean;
  readonly model: Pick<ContentModel, 'roles'>;
  readonly today: string;
}

const LISTS: Readonly<Record<RuleList, string>> = {
  ending: `Ending within ${SOON_DAYS} days`,
  embargoes: 'Embargoes',
  all: 'All rules',
  broken: 'Broken rules',
};

/** Returns the page of the access rules of a list. */
export function accessReportPage(report: AccessReport, site: Site): HtmlPage {
  const { list, rules, chosen } = report;
  const root = siteRoot(site.baseUrl);
  const path = root + paths.accessReport;
  const query = new URLSearchParams({ list, ...(chosen !== undefined && { rule: String(chosen) }) });
  return reportPage({
    site,
    title: 'Access',
    lead: 'Access rules that items have themselves. They also apply to what is below these items.',
    children: (
      <>
        <nav aria-label="Lists of rules">
          <ul class="links">
            {Object.entries(LISTS).map(([name, label]) => (
              <li key={name}>
                <a href={`${path}?list=${name}`} aria-current={name === list ? 'page' : undefined}>
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <h2>{LISTS[list]}</h2>
        {rules.length === 0 && <p class="empty">No items have such a rule.</p>}
        {rules.length > 0 && (
          <>
            {list === 'all' && chosen === undefined ? (
              <RuleTable {...report} path={path} />
            ) : (
              <ItemTable {...report} root={root} />
            )}
            {report.hasMore && (
              <p>
                <a href={`${path}?${query}&page=${report.page + 1}`}>Next items</a>
              </p>
            )}
            <p>
              <a href={`${root + paths.accessTable}?${query}`} download>
                Download as a table (CSV)
              </a>
            </p>
          </>
        )}
      </>
    ),
  });
}

function RuleTable({ rules, model, today, path }: AccessReport & { readonly path: string }) {
  return (
    <DataTable label="Rules" class="rows" heads={['Rule', 'Who can see it', 'Items']}>
      {rules.map(({ id, rule, items }) => (
        <tr key={id}>
          <th scope="row">{rule.label}</th>
          <td>{ruleInWords(rule, model, today)}</td>
          <td>
            <a href={`${path}?list=all&rule=${id}`}>{countInWords(items, 'item')}</a>
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function ItemTable({ rules, items, model, today, root }: AccessReport & { readonly root: string }) {
  const byId = new Map(rules.map(({ id, rule }) => [id, rule]));
  return (
    <DataTable label="Items" class="rows" heads={['Item', 'Rule', 'Opens on', 'Who can see it']}>
      {items.map(({ id, label, ruleId }) => {
        const rule = byId.get(ruleId);
        if (rule === undefined) return null;
        return (
          <tr key={`${id} ${ruleId}`}>
            <th scope="row">
              <a href={root + entityPath.node(id)} dir="auto">
                {label}
              </a>
            </th>
            <td>{rule.label}</td>
            <td>{rule.until === undefined ? '' : dateInWords(rule.until)}</td>
            <td>{ruleInWords(rule, model, today)}</td>
          </tr>
        );
      })}
    </DataTable>
  );
}
