import { basename } from 'node:path';
import { createCallLimit } from '../../base/call-limit.ts';
import { createPlanner } from '../table/create-planner.ts';
import { readTable } from '../table/read-table.ts';
import type { TableProblem, TableRow } from '../table/row-plan.ts';
import { TableError } from '../table/row-plan.ts';
import type { LoadContext } from '../table/table-options.ts';
import { type HeldRun, importRuns } from './import-run.ts';
import { createJournal } from './journal.ts';
import { changeFileCounts } from './journal-items.ts';
import { RowFailure } from './load-row.ts';
import { loadTable } from './load-table.ts';
import { createNewTerms } from './new-terms.ts';
import type { FinishedImport, PreparedImport } from './prepare-import.ts';
import { type ResultPlace, requireWritable, resultRows, rowsOf, writeResultTable } from './result-table.ts';

export interface ImportSettings {
  /** Maximum number of files that are loaded concurrently. */
  readonly concurrency: number;
  readonly result: ResultPlace;
  /** True for a table that was uploaded in a browser. */
  readonly isUploaded?: boolean;
  /** The name of the table on the machine of the user (default: that of the file). */
  readonly name?: string;
}

/** The results of an import. */
export interface ImportCounts {
  /** Completely loaded rows, including those of earlier processes. */
  readonly rows: number;
  readonly nodes: number;
  readonly files: number;
  readonly bytes: number;
  readonly terms: number;
}

export interface ImportWatch {
  readonly signal: AbortSignal;
  readonly onProgress: (counts: ImportCounts) => void;
}

export interface ImportSummary extends ImportCounts {
  /** The problem of the row that stopped the import. */
  readonly failure: TableProblem | undefined;
  readonly isInterrupted: boolean;
}

/**
 * Loads a table without problems, and writes the table of results. Completes all started rows before it ends. The journal
 * holds the progress, so that the same call continues an interrupted import. Throws `conflict` if another process imports
 * the table, and errors that no row has caused.
 */
export async function importTable(
  context: LoadContext,
  prepared: PreparedImport,
  settings: ImportSettings,
  watch: ImportWatch,
): Promise<ImportSummary> {
  const { services } = context;
  const { table, state, check, fileCounts, keepsIds } = prepared;
  const { sha256, place: path } = table;
  const journal = createJournal(services.database);
  const also = state.kind === 'unfinished' && fileCounts.length > 0 ? [changeFileCounts(state.run, fileCounts)] : [];
  const { isUploaded = false, name = basename(path) } = settings;
  const facts = {
    ...{ sha256, path, name, userId: context.actor.id, isUploaded, keepsIds },
    ...{ rows: check.rows, lastRow: check.lastRow },
  };
  const run = await journal.take(state, facts, also);
  const failing = new AbortController();
  const signal = AbortSignal.any([watch.signal, failing.signal]);
  const counts = { rows: 0, nodes: 0, files: 0, bytes: 0, terms: 0 };
  const endRenewing = importRuns.keepRenewing(
    services.database,
    run,
    (error) => failing.abort(error),
    () => counts.rows,
  );
  let failure: TableProblem | undefined;
  const ended = (): ImportSummary => ({
    ...{ ...counts, failure },
    isInterrupted: failure === undefined && watch.signal.aborted,
  });
  try {
    await requireWritable(settings.result.target);
    await load(context, prepared, run, settings, { ...watch, signal }, counts);
    await writeResultTable(services.database, run, resultRows(check.numberedRows()), settings.result);
    await journal.finish(run);
    return ended();
  } catch (error) {
    if (error instanceof RowFailure || error instanceof TableError) {
      failure = error.problem;
      return ended();
    }
    if (watch.signal.aborted && error === watch.signal.reason) return ended();
    throw error;
  } finally {
    endRenewing();
    // Ignores errors, which would hide the original one. A lease that is not released expires.
    await Promise.allSettled([journal.release(run, counts.rows, failure?.message)]);
  }
}

/** Writes the table of results of a finished import again. Throws errors of the system. */
export function rewriteResultTable(
  { services }: LoadContext,
  { request, table, finished }: FinishedImport,
  result: ResultPlace,
): Promise<void> {
  return writeResultTable(services.database, finished, rowsOf(readTable(table.path, request.options)), result);
}

async function load(
  context: LoadContext,
  { request: { options }, table, state, check }: PreparedImport,
  run: HeldRun,
  { concurrency }: ImportSettings,
  { signal, onProgress }: ImportWatch,
  counts: { -readonly [Name in keyof ImportCounts]: ImportCounts[Name] },
): Promise<void> {
  // The check of the table has validated the values, and each write validates them again.
  const planner = await createPlanner(context, check.header, options, { validates: false });
  if (Array.isArray(planner)) throw new RowFailure(planner[0] as TableProblem);
  const terms = createNewTerms(context);
  const withFile = createCallLimit(concurrency);
  async function* rows(): AsyncGenerator<TableRow[]> {
    await table.requireSame();
    yield* readTable(table.path, options, { signal });
    await table.requireSame();
  }
  const toLoad = {
    rows,
    plan: planner.plan,
    parents: check.parents,
    isBegun: state.kind === 'unfinished',
  };
  const report = () => {
    counts.terms = terms.created;
    onProgress(counts);
  };
  await loadTable({ context, run, terms, withFile, signal }, toLoad, {
    onRow() {
      counts.rows += 1;
      report();
    },
    onNode() {
      counts.nodes += 1;
    },
    onFile(bytes) {
      counts.files += 1;
      counts.bytes += bytes;
      report();
    },
  });
}
