import { numberText } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, filePath, paths } from '../../paths.ts';
import type { UsageNumbers, UsageRow } from '../../repository/usage/find-usage.ts';
import { dayText, type UsagePeriod } from '../../repository/usage/usage-days.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { reportPage } from '../admin/report-frame.tsx';
import { DataTable } from '../data-table.tsx';
import { TextInput } from '../forms/field.tsx';

/** A subject with its numbers. */
export interface UsedSubject extends UsageNumbers {
  readonly id: number;
  /** The title, or the URI of a file. Undefined if it was deleted, or the caller may not view it. */
  readonly label: string | undefined;
}

/** The data of the page of usage statistics. */
export interface UsageData {
  readonly period: UsagePeriod;
  readonly isCounting: boolean;
  readonly months: readonly Omit<UsageRow, 'id'>[];
  readonly items: readonly UsedSubject[];
  readonly collections: readonly UsedSubject[];
  readonly files: readonly UsedSubject[];
}

const HEADS = ['Views', 'Unique views', 'Downloads', 'Unique downloads'];
const NUMBERS = ['views', 'uniqueViews', 'downloads', 'uniqueDownloads'] as const;

/** Returns the page of usage statistics. */
export function usagePage(data: UsageData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { months, items, collections, files, isCounting } = data;
  return reportPage({
    site,
    title: 'Use',
    lead: 'Views and downloads by the rules of COUNTER, release 5.1. Robots and double clicks are left out. Days are those of UTC; an hour appears some minutes after its end.',
    children: (
      <>
        {!isCounting && <p role="status">Use is not counted at present (setting usage.count).</p>}
        <Period data={data} root={root} />
        <section>
          <h2>All items by month</h2>
          {months.length === 0 ? <p>Nothing was used in this time.</p> : <Months months={months} />}
        </section>
        <Subjects heading="Most viewed items" noun="Item" rows={items} addressOf={nodeAddress(root)} />
        <Subjects
          heading="Collections, by their items"
          noun="Collection"
          rows={collections}
          addressOf={nodeAddress(root)}
        />
        <Subjects
          heading="Most downloaded files"
          noun="File"
          rows={files}
          addressOf={({ label = '' }) => root + filePath(label)}
        />
      </>
    ),
  });
}

const nodeAddress =
  (root: string) =>
  ({ id }: UsedSubject) =>
    root + entityPath.node(id);

function Period({ data: { period }, root }: { readonly data: UsageData; readonly root: string }) {
  const [from, to] = [dayText(period.first), dayText(period.last)];
  const table = (by: string) => `${root}${paths.usageTable}?${new URLSearchParams({ from, to, by })}`;
  return (
    <section aria-label="Time">
      <form method="get" action={root + paths.usage} class="filter">
        <TextInput name="from" label="From" type="date" value={from} isShort />
        <TextInput name="to" label="To" type="date" value={to} isShort />
        <button class="button quiet" type="submit">
          Show
        </button>
      </form>
      <p>
        All items, collections and files of this time as a table: <a href={table('month')}>by month (CSV)</a>,{' '}
        <a href={table('day')}>by day (CSV)</a>
      </p>
    </section>
  );
}

function Months({ months }: Pick<UsageData, 'months'>) {
  return (
    <DataTable label="Use by month, as a table" heads={['Month', ...HEADS]}>
      {months.map((month) => (
        <tr key={month.date}>
          <th scope="row">{month.date}</th>
          <Cells numbers={month} />
        </tr>
      ))}
      {months.length > 1 && (
        <tr>
          <th scope="row">Together</th>
          <Cells numbers={sumOf(months)} />
        </tr>
      )}
    </DataTable>
  );
}

function sumOf(rows: readonly UsageNumbers[]): UsageNumbers {
  const sum = (name: (typeof NUMBERS)[number]) => rows.reduce((total, row) => total + row[name], 0);
  return {
    views: sum('views'),
    uniqueViews: sum('uniqueViews'),
    downloads: sum('downloads'),
    uniqueDownloads: sum('uniqueDownloads'),
  };
}

function Cells({ numbers }: { readonly numbers: UsageNumbers }) {
  return (
    <>
      {NUMBERS.map((name) => (
        <td key={name} class="number">
          {numberText(numbers[name])}
        </td>
      ))}
    </>
  );
}

interface SubjectsProps {
  readonly heading: string;
  readonly noun: string;
  readonly rows: readonly UsedSubject[];
  readonly addressOf: (row: UsedSubject) => string;
}

function Subjects({ heading, noun, rows, addressOf }: SubjectsProps) {
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>{heading}</h2>
      <DataTable label={`${heading}, as a table`} heads={[noun, ...HEADS]}>
        {rows.map((row) => (
          <tr key={row.id}>
            <th scope="row">
              {row.label === undefined ? (
                `${noun} ${row.id}, deleted or hidden`
              ) : (
                <a href={addressOf(row)} dir="auto">
                  {row.label}
                </a>
              )}
            </th>
            <Cells numbers={row} />
          </tr>
        ))}
      </DataTable>
    </section>
  );
}
