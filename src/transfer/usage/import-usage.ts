import type { Database } from '../../database/database.ts';
import { type DayUsage, setUsage } from '../../repository/usage/set-usage.ts';
import { USAGE_COLUMNS } from '../../repository/usage/usage-columns.ts';
import { dayOf } from '../../repository/usage/usage-days.ts';
import { readHeader, readTable } from '../table/read-table.ts';
import { TableError, type TableProblem, tableProblem } from '../table/row-plan.ts';
import type { TableForm } from '../table/table-options.ts';
import { parseUsageRow } from './parse-usage-row.ts';

/** The maximum number of problems that are returned. */
const MAX_PROBLEMS = 100;
const REQUIRED = ['id', 'date', 'views'];

/** The result of the check of a table of usage statistics. */
export interface UsageCheck {
  readonly rows: number;
  /** Rows of collections, whose numbers follow from their items. */
  readonly skipped: number;
  /** The first problems of the table. */
  readonly problems: readonly TableProblem[];
  readonly problemCount: number;
}

interface UsageTable {
  readonly file: string;
  readonly form: TableForm;
  /** Seconds since 1970. */
  readonly now: number;
  readonly signal?: AbortSignal;
}

/** Checks a table of usage statistics. Throws TableError for a file that is no such table. */
export async function checkUsage(table: UsageTable): Promise<UsageCheck> {
  const columns = await readHeader(table.file, table.form);
  for (const name of columns)
    if (!USAGE_COLUMNS.includes(name))
      throw new TableError(tableProblem(`Unknown column. The columns are ${USAGE_COLUMNS.join(', ')}.`, name));
  for (const name of REQUIRED)
    if (!columns.includes(name)) throw new TableError(tableProblem('The table needs this column.', name));
  const check = { rows: 0, skipped: 0, problemCount: 0 };
  const problems: TableProblem[] = [];
  for await (const part of partsOf(table)) {
    check.rows += part.usage.length;
    check.skipped += part.skipped;
    check.problemCount += part.problems.length;
    problems.push(...part.problems.slice(0, MAX_PROBLEMS - problems.length));
  }
  return { ...check, problems };
}

/**
 * Imports a table that has no problems, in parts that are stored one by one. An interrupted import is repeated as a whole: numbers
 * replace those of the same day.
 */
export async function importUsage(database: Database, table: UsageTable): Promise<void> {
  for await (const { usage } of partsOf(table)) if (usage.length > 0) await setUsage(database, usage);
}

interface Part {
  /** One row for each subject and day: the last one. */
  readonly usage: readonly DayUsage[];
  readonly skipped: number;
  readonly problems: readonly TableProblem[];
}

async function* partsOf({ file, form, now, signal }: UsageTable): AsyncGenerator<Part> {
  const today = dayOf(now);
  for await (const rows of readTable(file, form, { signal })) {
    const parsed = rows.map((row) => parseUsageRow(row, today));
    const usage = new Map(
      parsed.flatMap(({ usage: each }) => (each ? [[`${each.subject} ${each.id} ${each.day}`, each]] : [])),
    );
    yield {
      usage: [...usage.values()],
      skipped: parsed.filter((each) => each.usage === undefined && each.problems.length === 0).length,
      problems: parsed.flatMap(({ problems }) => problems),
    };
  }
}
