import type { DayUsage } from '../../repository/usage/set-usage.ts';
import { dayText, parseDay } from '../../repository/usage/usage-days.ts';
import type { TableProblem, TableRow } from '../table/row-plan.ts';

const MAX_NUMBER = 1_000_000_000;
const ID = /^[1-9]\d{0,14}$/;
const MONTH = /^\d{4}-\d{2}$/;
const REQUIRED = ['id', 'date'];

/** A row of a table of usage statistics: numbers, the problems that prevent its import, or nothing for a collection. */
export interface ParsedUsageRow {
  readonly usage?: DayUsage;
  readonly problems: readonly TableProblem[];
}

/** Parses a row. `today` is the first day (since 1970, in UTC) that cannot be imported. */
export function parseUsageRow(row: TableRow, today: number): ParsedUsageRow {
  const problems: TableProblem[] = [];
  const report = (column: string | undefined, message: string) => {
    problems.push({ row: row.shownNumber ?? row.number, line: row.line, column, message });
  };
  if (row.fault !== undefined) report(row.fault.column, row.fault.message);
  const cell = (name: string) => row.cells.get(name) ?? '';
  const kind = cell('kind') || 'item';
  if (kind === 'collection') return { problems };
  if (kind !== 'item' && kind !== 'file')
    report('kind', `The kind is item, file or collection, found "${shown(kind)}".`);
  if (row.fault === undefined)
    for (const name of REQUIRED) if (cell(name) === '') report(name, 'This cell must not be empty.');
  const id = cell('id');
  if (id !== '' && !ID.test(id)) report('id', `The id is the number of an item or file, found "${shown(id)}".`);
  const date = cell('date');
  const day = parseDay(MONTH.test(date) ? `${date}-01` : date);
  if (date !== '' && day === undefined)
    report('date', `The date is a day such as 2019-03-31 or a month such as 2019-03, found "${shown(date)}".`);
  if (day !== undefined && day >= today) report('date', `The date must be before ${dayText(today)}.`);
  const count = (name: string) => {
    const text = cell(name) || '0';
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value <= MAX_NUMBER))
      report(name, `This must be a whole number up to ${MAX_NUMBER}, found "${shown(text)}".`);
    return value;
  };
  const numbers = {
    views: count('views'),
    uniqueViews: count('unique_views'),
    downloads: count('downloads'),
    uniqueDownloads: count('unique_downloads'),
  };
  if (problems.length > 0 || day === undefined) return { problems };
  return { usage: { subject: kind === 'file' ? 'file' : 'item', id: Number(id), day, ...numbers }, problems };
}

function shown(text: string): string {
  return text.slice(0, 40);
}
