import { realpath } from 'node:fs/promises';
import type { BackgroundTasks } from '../../base/background-tasks.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Actor } from '../../repository/actor.ts';
import type { ContentKinds } from '../../repository/content/kinds.ts';
import type { Services } from '../../repository/content/services.ts';
import type { FinishedImport, PreparedImport } from '../import/prepare-import.ts';
import { PAGE_WORDS } from '../table/option-words.ts';
import { TableError, type TableProblem } from '../table/row-plan.ts';
import type { LoadContext, TableOptions } from '../table/table-options.ts';
import { followTableUpload, type TableUploadFollower } from './follow-table-upload.ts';
import { NamedFiles, reportOf, withoutPath } from './report-table-upload.ts';
import type { HeldTableUpload, TableUpload, TableUploadOptions, TableUploadReport } from './table-upload.ts';
import type { TableUploadFolders } from './table-upload-folders.ts';
import { requireRoom, settleTableUpload, type TableUploadOutcome, takeTableUpload } from './table-upload-store.ts';

/** Number of files that are loaded concurrently: fewer than `repo import` loads, since readers need the server, too. */
const FILES_AT_ONCE = 4;

/** The parts of a server that work on uploaded tables. */
export interface TableUploadWork {
  readonly services: Services;
  readonly kinds: ContentKinds;
  readonly folders: TableUploadFolders;
  readonly background: BackgroundTasks;
}

/** Work in the background. */
export interface BegunWork {
  /** Resolves when the work has ended and its outcome is stored. */
  readonly ended: Promise<void>;
}

/** Begins to check an uploaded table in the background. Throws `conflict` while it is checked or imported. */
export async function beginCheck(
  work: TableUploadWork,
  actor: Actor,
  upload: TableUpload,
  options: TableUploadOptions,
): Promise<BegunWork> {
  return begin(
    work,
    actor,
    await takeTableUpload(work.services.database, upload, 'checking', options),
    async (prepared) => ({
      state: 'checked',
      report: prepared.report,
    }),
  );
}

/**
 * Begins to import an uploaded table in the background, or continues an interrupted import. `baseUrl` is the prefix of the
 * addresses in the table of results. Throws as `beginCheck`.
 */
export async function beginImport(
  work: TableUploadWork,
  actor: Actor,
  upload: TableUpload,
  baseUrl: string,
): Promise<BegunWork> {
  const { services, folders } = work;
  await requireRoom(services.database);
  const held = await takeTableUpload(services.database, upload, 'importing', upload.options);
  return begin(work, actor, held, async ({ prepared, report, context, follower }) => {
    if (report.problemCount > 0 || 'finished' in prepared) return { state: 'checked', report };
    const { result } = folders.pathsOf(held.folder);
    follower.enter(report.rows);
    const settings = {
      concurrency: FILES_AT_ONCE,
      result: { target: result, baseUrl, isForSpreadsheets: true },
      isUploaded: true,
    };
    // Imports are rare, and their modules take some megabytes of a server.
    const { importTable } = await import('../import/import-table.ts');
    const summary = await importTable(context, prepared, settings, {
      signal: follower.signal,
      onProgress: follower.showCounts,
    });
    const { failure } = summary;
    if (failure) return { state: 'failed', report, failure: withoutPath(failure, await placeOf(work, held)) };
    if (summary.isInterrupted) return { state: 'stopped', report };
    return { state: 'done', report };
  });
}

interface PreparedTable {
  readonly prepared: PreparedImport | FinishedImport;
  readonly report: TableUploadReport;
  readonly context: LoadContext;
  readonly follower: TableUploadFollower;
}

/** Checks the table, then does further work with it, and stores the outcome. Returns the end of it all. */
function begin(
  work: TableUploadWork,
  actor: Actor,
  held: HeldTableUpload,
  proceed: (prepared: PreparedTable) => Promise<TableUploadOutcome>,
): BegunWork {
  const { services, kinds, folders, background } = work;
  const ended = Promise.withResolvers<void>();
  background.start('the work on an uploaded table', async (signal) => {
    const follower = followTableUpload(services.database, held, signal);
    try {
      const context = { services, kinds, actor };
      const outcome = await outcomeOf(work, held, follower, async () => {
        const { prepared, report } = await prepare(work, context, held, follower);
        return proceed({ prepared, report, context, follower });
      });
      await settleTableUpload(services.database, held, { ...outcome, progress: follower.current() });
      if (outcome.state === 'done') await folders.removeSources(held.folder);
    } finally {
      follower.end();
      ended.resolve();
    }
  });
  return { ended: ended.promise };
}

/** Returns the outcome of work. A stop, an unreadable table and a refused write are outcomes, too; other errors are also thrown. */
async function outcomeOf(
  work: TableUploadWork,
  held: HeldTableUpload,
  { signal }: TableUploadFollower,
  run: () => Promise<TableUploadOutcome>,
): Promise<TableUploadOutcome> {
  try {
    return await run();
  } catch (error) {
    if (signal.aborted && error === signal.reason) return { state: 'stopped' };
    if (error instanceof TableError) return failed(error.problem, await placeOf(work, held));
    if (error instanceof ServiceError) return failed(problemOf(error.message), await placeOf(work, held));
    work.services.warn('the work on an uploaded table failed', error);
    return { state: 'failed', failure: problemOf('The server could not continue. Its log has the reason.') };
  }
}

function failed(problem: TableProblem, folder: string): TableUploadOutcome {
  return { state: 'failed', failure: withoutPath(problem, folder) };
}

function problemOf(message: string): TableProblem {
  return { row: undefined, line: undefined, column: undefined, message };
}

async function prepare(
  { folders }: TableUploadWork,
  context: LoadContext,
  { folder, options }: HeldTableUpload,
  follower: TableUploadFollower,
): Promise<Pick<PreparedTable, 'prepared' | 'report'>> {
  const paths = folders.pathsOf(folder);
  if (!(await folders.hasTable(folder)))
    throw new TableError(problemOf('The table is no longer on this server. Upload it again.'));
  const named = new NamedFiles();
  const request = { file: paths.table, again: options.again, options: tableOptions(options, paths.files) };
  follower.enter(undefined);
  const { prepareImport } = await import('../import/prepare-import.ts');
  const prepared = await prepareImport(context, request, {
    signal: follower.signal,
    onProgress: follower.showCheck,
    onPlan: (plan) => named.add(plan),
  });
  const place = await realpath(paths.path);
  return { prepared, report: reportOf(prepared, await folders.listFiles(folder), named, place) };
}

async function placeOf({ folders }: TableUploadWork, { folder }: HeldTableUpload): Promise<string> {
  const { path } = folders.pathsOf(folder);
  return realpath(path).catch(() => path);
}

function tableOptions({ additionalFiles, again: _, ...options }: TableUploadOptions, files: string): TableOptions {
  return { ...options, files, additionalFiles: new Map(additionalFiles), words: PAGE_WORDS };
}
