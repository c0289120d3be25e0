import { realpath } from 'node:fs/promises';
import type { BackgroundTasks } from '../../base/background-tasks.ts';
import { ServiceError } from '../../base/errors.ts';
import { requireFewRuns } from '../../bulk/change-with-members.ts';
import type { Actor } from '../../repository/actor.ts';
import type { ContentKinds } from '../../repository/content/kinds.ts';
import type { Services } from '../../repository/content/services.ts';
import type { Waker } from '../../runs/waker.ts';
import type { Downloads } from '../files/downloads.ts';
import type { FinishedImport, PreparedImport } from '../import/prepare-import.ts';
import { PAGE_WORDS } from '../table/option-words.ts';
import { TableError, type TableProblem } from '../table/row-plan.ts';
import type { LoadContext, TableOptions } from '../table/table-options.ts';
import { type ChangesTable, checkChanges, startChanges } from './changes-of-upload.ts';
import { followTableUpload, type TableUploadFollower } from './follow-table-upload.ts';
import { NamedFiles, reportOf, withoutPath } from './report-table-upload.ts';
import type {
  HeldTableUpload,
  TableChanges,
  TableUpload,
  TableUploadOptions,
  TableUploadReport,
} from './table-upload.ts';
import type { TableUploadFolders } from './table-upload-folders.ts';
import { requireRoom, settleTableUpload, type TableUploadOutcome, takeTableUpload } from './table-upload-store.ts';

/** Number of files that are loaded concurrently: fewer than `repo import` loads, since readers need the server, too. */
const FILES_AT_ONCE = 4;

/** The parts of a server that work on uploaded tables. */
export interface TableUploadWork {
  readonly services: Services;
  readonly kinds: ContentKinds;
  readonly folders: TableUploadFolders;
  readonly downloads: Downloads;
  readonly background: BackgroundTasks;
  /** Wakes the work on bulk changes. */
  readonly bulk: Waker;
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
  const held = await takeTableUpload(work.services.database, upload, 'checking', options);
  return begin(work, actor, held, async (context, follower) => {
    const { report } = options.changes
      ? await checkChanges(context, await tableOf(work, held), follower)
      : await prepare(work, context, held, follower);
    return { state: 'checked', report };
  });
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
  if (upload.options.changes) return beginChanges(work, actor, upload);
  const { services, folders } = work;
  await requireRoom(services.database);
  const held = await takeTableUpload(services.database, upload, 'importing', upload.options);
  return begin(work, actor, held, async (context, follower) => {
    const { prepared, report } = await prepare(work, context, held, follower);
    if (report.problemCount > 0 || 'finished' in prepared) return { state: 'checked', report };
    const { result } = folders.pathsOf(held.folder);
    follower.enter(report.rows);
    const settings = {
      concurrency: FILES_AT_ONCE,
      result: { target: result, baseUrl, isForSpreadsheets: true },
      ...{ isUploaded: true, name: held.fileName },
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

/** Begins to start the bulk change that makes the changes of a table. Throws as `beginCheck`. */
async function beginChanges(work: TableUploadWork, actor: Actor, upload: TableUpload): Promise<BegunWork> {
  const { database } = work.services;
  await requireFewRuns(database, actor);
  const held = await takeTableUpload(database, upload, 'importing', upload.options);
  return begin(work, actor, held, async (context, follower) => {
    const started = await startChanges(context, await tableOf(work, held), follower);
    work.bulk.wake();
    return { state: 'done', run: started };
  });
}

interface PreparedTable {
  readonly prepared: PreparedImport | FinishedImport;
  readonly report: TableUploadReport;
}

/** Works on a table, and stores the outcome. Returns the end of it all. */
function begin(
  work: TableUploadWork,
  actor: Actor,
  held: HeldTableUpload,
  proceed: (context: LoadContext, follower: TableUploadFollower) => Promise<TableUploadOutcome>,
): BegunWork {
  const { services, kinds, folders, background } = work;
  const ended = Promise.withResolvers<void>();
  background.start('the work on an uploaded table', async (signal) => {
    const follower = followTableUpload(services.database, held, signal);
    try {
      const context = { services, kinds, actor };
      const outcome = await outcomeOf(work, held, follower, () => proceed(context, follower));
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
  { folders, downloads }: TableUploadWork,
  context: LoadContext,
  { folder, options }: HeldTableUpload,
  follower: TableUploadFollower,
): Promise<PreparedTable> {
  const paths = folders.pathsOf(folder);
  await requireTable(folders, folder);
  const named = new NamedFiles();
  const request = {
    file: paths.table,
    again: options.again,
    options: { ...tableOptions(options, paths.files), downloads },
  };
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

async function requireTable(folders: TableUploadFolders, folder: string): Promise<void> {
  if (await folders.hasTable(folder)) return;
  throw new TableError(problemOf('The table is no longer on this server. Upload it again.'));
}

/** Returns a table of changes with its options. */
async function tableOf(work: TableUploadWork, held: HeldTableUpload): Promise<ChangesTable> {
  const { folder, fileName, options } = held;
  const { table, files } = work.folders.pathsOf(folder);
  await requireTable(work.folders, folder);
  return {
    ...{ file: table, name: fileName, place: await placeOf(work, held), changes: options.changes as TableChanges },
    options: tableOptions(options, files),
  };
}

async function placeOf({ folders }: TableUploadWork, { folder }: HeldTableUpload): Promise<string> {
  const { path } = folders.pathsOf(folder);
  return realpath(path).catch(() => path);
}

function tableOptions(
  { additionalFiles, again: _again, changes: _changes, ...options }: TableUploadOptions,
  files: string,
): TableOptions {
  return { ...options, files, additionalFiles: new Map(additionalFiles), words: PAGE_WORDS };
}
