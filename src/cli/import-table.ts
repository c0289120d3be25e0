import { basename } from 'node:path';
import { CommandError } from '../base/errors.ts';
import { countInWords, numberText } from '../base/in-words.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import { createDownloads } from '../transfer/files/downloads.ts';
import type { ImportRun } from '../transfer/import/import-run.ts';
import {
  type ImportCounts,
  type ImportSummary,
  importTable,
  rewriteResultTable,
} from '../transfer/import/import-table.ts';
import { type PreparedImport, prepareImport } from '../transfer/import/prepare-import.ts';
import { isSpreadsheetName } from '../transfer/spreadsheet/spreadsheet-name.ts';
import type { CheckProgress, TableCheck } from '../transfer/table/check-table.ts';
import { TableError, type TableProblem } from '../transfer/table/row-plan.ts';
import type { LoadContext, TableOptions } from '../transfer/table/table-options.ts';
import { type ImportFlags, resultBeside } from './import-flags.ts';
import { type ProgressDisplay, type ProgressStyle, showProgress } from './progress-display.ts';
import { withStopSignal } from './stop-signal.ts';
import { filesText, plainLine, timeText } from './text.ts';

/** The maximum number of problems that are shown. */
const MAX_SHOWN = 100;

interface LoadProgress extends ImportCounts {
  readonly totalRows: number;
}

interface Displays {
  readonly check: ProgressDisplay<CheckProgress>;
  readonly load: ProgressDisplay<LoadProgress>;
}

/** Checks and loads a table, and prints a summary. Returns false for problems and after Ctrl-C. */
export async function importTableFile(
  repository: CommandRepository,
  file: string,
  flags: ImportFlags,
): Promise<boolean> {
  const { quiet = false } = flags;
  const displays = { check: showProgress(CHECK_LOOK, quiet), load: showProgress(createLoadLook(), quiet) };
  try {
    return await withStopSignal(async (signal) => {
      try {
        return await checkAndLoad(repository, file, flags, displays, signal);
      } catch (error) {
        if (!signal.aborted || error !== signal.reason) throw error;
        displays.check.end();
        console.error('The check was interrupted. Nothing was loaded.');
        return false;
      }
    });
  } finally {
    displays.check.end();
    displays.load.end();
  }
}

/** Returns the context of an import on behalf of a user. Throws CommandError for an unknown or blocked one. */
export async function importContext(
  { findUser, contextOf }: CommandRepository,
  userName: string,
): Promise<LoadContext> {
  const user = await findUser(userName);
  const { status, name } = user.row;
  if (!status) throw new CommandError(`${name} is blocked. Unblock the user first: repo user unblock ${name}`);
  return contextOf(user);
}

async function checkAndLoad(
  repository: CommandRepository,
  file: string,
  flags: ImportFlags,
  displays: Displays,
  signal: AbortSignal,
): Promise<boolean> {
  const startedAt = performance.now();
  const { user, again = false, concurrency, output = resultBeside(file) } = flags;
  const { config, baseUrl } = repository;
  const result = { target: output, baseUrl: config.baseUrl === undefined ? '' : baseUrl };
  const context = await importContext(repository, user);
  const options = { ...optionsOf(flags), downloads: createDownloads(config.imports) };
  const request = { file, again, options };
  const prepared = await explained(() => prepareImport(context, request, { signal, onProgress: displays.check.show }));
  displays.check.end();
  if ('finished' in prepared) {
    const { finished } = prepared;
    console.log(
      `${basename(file)} was imported on ${timeText(finished.endedAt ?? finished.startedAt)}. To load it again, add --again.`,
    );
    if (!flags.check) await rewriteResultTable(context, prepared, result);
    return true;
  }
  if (prepared.problemCount > 0) return printProblems(file, prepared);
  const earlier = prepared.state.kind === 'new' ? prepared.state.former : undefined;
  if (earlier) console.error(changedTableLine(file, earlier));
  if (flags.check) {
    console.log([planLine(file, prepared), ...newTermLines(file, prepared.check)].join('\n'));
    return true;
  }
  const totalRows = prepared.check.rows;
  const onProgress = (counts: ImportCounts) => displays.load.show({ ...counts, totalRows });
  const summary = await importTable(context, prepared, { concurrency, result }, { signal, onProgress });
  displays.load.end();
  console.log(summaryLine(summary, (performance.now() - startedAt) / 1_000));
  if (summary.failure) console.error(problemLine(file, summary.failure));
  if (summary.failure || summary.isInterrupted) {
    const left = totalRows - summary.rows;
    console.error(`${countInWords(left, 'row')} ${left === 1 ? 'is' : 'are'} left. Run the same command to resume.`);
    return false;
  }
  console.log(`The result of each row is in ${output}.`);
  return true;
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TableError ? new CommandError(error.message) : error;
  }
}

/** Prints the problems of a table, and `outcome`. */
export function printProblems(
  file: string,
  { problems, problemCount }: Pick<PreparedImport, 'problems' | 'problemCount'>,
  outcome = 'Nothing was loaded.',
): false {
  for (const problem of problems.slice(0, MAX_SHOWN)) console.error(problemLine(file, problem));
  if (problemCount > MAX_SHOWN) console.error(`… and ${countInWords(problemCount - MAX_SHOWN, 'more problem')}.`);
  console.error(`${basename(file)} has ${countInWords(problemCount, 'problem')}. ${outcome}`);
  return false;
}

/** Returns the interpretation of the cells of a table by options. */
export function optionsOf(flags: ImportFlags): TableOptions {
  const { delimiter, sheet, subdelimiter, contentType, files, newTerms, createTerms, textFormat, additionalFiles } =
    flags;
  return { delimiter, sheet, subdelimiter, contentType, files, newTerms, createTerms, textFormat, additionalFiles };
}

/** The display of the check of a table. */
export const CHECK_LOOK: ProgressStyle<CheckProgress> = {
  format: 'Checking [{bar}] {percentage}% | {rows} rows | {eta_formatted} left',
  measure: ({ rows, bytes, totalBytes }) => ({ total: totalBytes, value: bytes, facts: { rows: numberText(rows) } }),
  lineOf: ({ rows }) => `Checked ${numberText(rows)} rows.`,
  isResumable: true,
};

function createLoadLook(): ProgressStyle<LoadProgress> {
  let first: { readonly at: number; readonly rows: number } | undefined;
  return {
    format: 'Loading [{bar}] {percentage}% | {count} rows, {rate}/s{size} | {eta_formatted} left',
    measure({ rows, files, bytes, totalRows }) {
      const now = performance.now();
      // Rows of an earlier run do not count for the rate.
      first ??= { at: now, rows };
      const rate = Math.round((rows - first.rows) / Math.max((now - first.at) / 1_000, 0.001));
      const size = files === 0 ? '' : ` | ${filesText(files, bytes)}`;
      const count = `${numberText(rows)} of ${numberText(totalRows)}`;
      return { total: totalRows, value: rows, facts: { count, rate: numberText(rate), size } };
    },
    lineOf({ rows, totalRows, files, bytes }) {
      const size = files === 0 ? '' : `, ${filesText(files, bytes)}`;
      return `Loaded ${numberText(rows)} of ${numberText(totalRows)} rows${size}.`;
    },
    isResumable: true,
  };
}

/** Returns the place of a row: `nodes.csv:3 (row 2)`, `nodes.xlsx, row 3`. The rows of a spreadsheet have its own numbers. */
export function placeInTable(file: string, line: number | undefined, row: number | undefined): string {
  const name = basename(file);
  if (isSpreadsheetName(file)) return line === undefined ? name : `${name}, row ${line}`;
  return `${name}${line === undefined ? '' : `:${line}`}${row === undefined ? '' : ` (row ${row})`}`;
}

/** Formats a problem: `nodes.csv:12 (row 11), field_edtf_date_issued: "1999-13" is not …`. */
export function problemLine(file: string, { row, line, column, message }: TableProblem): string {
  const where = placeInTable(file, line, row);
  return plainLine(`${where}${column === undefined ? '' : `, ${column}`}: ${message}`);
}

/** Formats what the import of a valid table would create. */
function planLine(file: string, { check, state }: PreparedImport): string {
  const { rows, files, newTerms } = check;
  const vocabularies = [...newTerms].map(([name, count]) => `${numberText(count)} in ${name}`);
  const terms = sum(newTerms.values());
  const named = terms === 0 ? '' : ` (${vocabularies.join(', ')})`;
  const isBegun = state.kind === 'unfinished' ? ' Some rows are already loaded; the import resumes.' : '';
  const what = list([
    countInWords(rows, 'row'),
    filesText(files.count, files.bytes),
    `${countInWords(terms, 'new term')}${named}`,
  ]);
  return `${basename(file)} can be imported: ${what}.${isBegun}`;
}

/** Lists the terms that a valid table would create, each with the first line that names it. */
export function newTermLines(
  file: string,
  { newTerms, listedTerms }: Pick<TableCheck, 'newTerms' | 'listedTerms'>,
): string[] {
  const unit = isSpreadsheetName(file) ? 'row' : 'line';
  const lines = listedTerms.map(({ vocabulary, name, line }) =>
    plainLine(`New term in ${vocabulary}: "${name}" (${unit} ${line})`),
  );
  const more = sum(newTerms.values()) - listedTerms.length;
  return more === 0 ? lines : [...lines, `… and ${countInWords(more, 'more new term')}`];
}

/** Formats the import of an earlier table with the same path. */
function changedTableLine(file: string, { rows, startedAt }: ImportRun): string {
  const name = basename(file);
  return `${name} was imported on ${timeText(startedAt)} with other content (${countInWords(rows, 'row')}). All rows of this table are new.`;
}

/** Formats the result of an import: `Imported 10,000 nodes, 10,000 files of 1.2 GB, and 312 new terms in 3 min 2 s.` */
export function summaryLine({ rows, nodes, files, bytes, terms }: ImportSummary, seconds: number): string {
  const what = list([countInWords(nodes, 'node'), filesText(files, bytes), countInWords(terms, 'new term')]);
  const earlier = rows > nodes ? ` ${countInWords(rows, 'row')} ${rows === 1 ? 'is' : 'are'} loaded in total.` : '';
  return `Imported ${what} in ${durationText(seconds)}.${earlier}`;
}

/** Formats a duration: `0.4 s`, `42 s`, `3 min 2 s`, `2 h 5 min`. */
function durationText(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

function list(parts: readonly string[]): string {
  const [last, ...others] = parts.filter((part) => !part.startsWith('0 ')).reverse();
  if (last === undefined) return 'nothing';
  if (others.length === 0) return last;
  return `${others.reverse().join(', ')}${others.length > 1 ? ',' : ''} and ${last}`;
}

function sum(counts: Iterable<number>): number {
  let total = 0;
  for (const count of counts) total += count;
  return total;
}
