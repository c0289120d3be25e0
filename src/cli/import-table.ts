import { basename } from 'node:path';
import { CommandError } from '../base/command-error.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import { type ImportCounts, importTable, writeResultAgain } from '../transfer/import/import-table.ts';
import { type PreparedImport, prepareImport } from '../transfer/import/prepare-import.ts';
import type { CheckProgress } from '../transfer/table/check-table.ts';
import { TableError } from '../transfer/table/row-plan.ts';
import type { LoadContext, TableOptions } from '../transfer/table/table-options.ts';
import { type ImportFlags, resultBeside } from './import-flags.ts';
import { formerLine, newTermLines, planLine, problemLine, summaryLine } from './import-text.ts';
import { type ProgressDisplay, type ProgressLook, showProgress } from './progress-display.ts';
import { withStopSignal } from './stop-signal.ts';
import { counted, filesText, numberText, timeText } from './text.ts';

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
        console.error('The check was broken off. Nothing was loaded.');
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
  if (!status) throw new CommandError(`${name} is blocked: let them in first with: repo user unblock ${name}`);
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
  const request = { file, again, options: optionsOf(flags) };
  const prepared = await explained(() => prepareImport(context, request, { signal, onProgress: displays.check.show }));
  displays.check.end();
  if ('finished' in prepared) {
    const { finished } = prepared;
    console.log(
      `${basename(file)} was imported already, on ${timeText(finished.endedAt ?? finished.startedAt)}; --again loads it once more.`,
    );
    if (!flags.check) await writeResultAgain(context, prepared, result);
    return true;
  }
  if (prepared.problemCount > 0) return tellProblems(file, prepared);
  const former = prepared.found.kind === 'new' ? prepared.found.former : undefined;
  if (former) console.error(formerLine(file, former));
  if (flags.check) {
    console.log([planLine(file, prepared), ...newTermLines(prepared)].join('\n'));
    return true;
  }
  const totalRows = prepared.check.rows;
  const onProgress = (counts: ImportCounts) => displays.load.show({ ...counts, totalRows });
  const summary = await importTable(context, prepared, { concurrency, result }, { signal, onProgress });
  displays.load.end();
  console.log(summaryLine(summary, (performance.now() - startedAt) / 1_000));
  if (summary.failure) console.error(problemLine(file, summary.failure));
  if (summary.failure || summary.isBrokenOff) {
    const left = totalRows - summary.rows;
    console.error(`${counted(left, 'row')} ${left === 1 ? 'is' : 'are'} left. The same command goes on from here.`);
    return false;
  }
  console.log(`What has become of each row is in ${output}.`);
  return true;
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TableError ? new CommandError(error.message) : error;
  }
}

function tellProblems(file: string, { problems, problemCount }: PreparedImport): false {
  for (const problem of problems.slice(0, MAX_SHOWN)) console.error(problemLine(file, problem));
  if (problemCount > MAX_SHOWN) console.error(`… and ${counted(problemCount - MAX_SHOWN, 'more problem')}.`);
  console.error(`${basename(file)} has ${counted(problemCount, 'problem')}. Nothing was loaded.`);
  return false;
}

function optionsOf(flags: ImportFlags): TableOptions {
  const { delimiter, subdelimiter, contentType, files, newTerms, createTerms, textFormat, additionalFiles } = flags;
  return { delimiter, subdelimiter, contentType, files, newTerms, createTerms, textFormat, additionalFiles };
}

const CHECK_LOOK: ProgressLook<CheckProgress> = {
  format: 'Checking [{bar}] {percentage}% | {rows} rows | {eta_formatted} left',
  measure: ({ rows, bytes, totalBytes }) => ({ total: totalBytes, value: bytes, facts: { rows: numberText(rows) } }),
  lineOf: ({ rows }) => `Checked ${numberText(rows)} rows.`,
  isResumable: true,
};

function createLoadLook(): ProgressLook<LoadProgress> {
  let first: { readonly at: number; readonly rows: number } | undefined;
  return {
    format: 'Loading [{bar}] {percentage}% | {count} rows, {rate}/s{size} | {eta_formatted} left',
    measure({ rows, files, bytes, totalRows }) {
      const now = performance.now();
      // The rows of an earlier run come first, and say nothing of the rate.
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
