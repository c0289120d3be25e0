import { listRuns } from '../../authorities/list-runs.ts';
import { byteText, countInWords, numberText } from '../../base/in-words.ts';
import { type BulkRun, findLatestRuns } from '../../bulk/find-runs.ts';
import { scanRuns } from '../../jobs/scan-position.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import { listRemovals, type ShownRemoval } from '../../repository/removal-task.ts';
import { type IndexState, readIndexState } from '../../repository/search-index/index-state.ts';
import { mergeRuns } from '../../repository/terms/merge-runs.ts';
import { IS_OF_COMMAND, importRuns } from '../../transfer/import/import-run.ts';
import { isUnderWay, type TableUpload } from '../../transfer/table-uploads/table-upload.ts';
import { listLatestTableUploads } from '../../transfer/table-uploads/table-upload-store.ts';
import { findRuns } from '../../upkeep/fixity/find-runs.ts';
import { problemsOf, type VerifyRun } from '../../upkeep/fixity/verify-run.ts';
import type { Call } from '../../web/call.ts';
import { scopeInWords } from '../admin/fixity-words.ts';
import { progressInWords, STATE_WORDS } from '../imports/import-words.ts';
import { progressText, runHeading } from '../manage/bulk-words.ts';

/** The number of tasks of each kind. */
const SHOWN = 20;

type Listed<Kind extends { list(...args: never): unknown }> =
  Awaited<ReturnType<Kind['list']>> extends (infer Each)[] ? Each : never;

/** Work in the background: one that runs, or one that has come to its end. */
export interface Task {
  readonly kind:
    | 'Authority list'
    | 'Bulk change'
    | 'Deletion'
    | 'Check of stored files'
    | 'Import of a table'
    | 'Merge of terms'
    | 'Scan for derivatives'
    | 'Search index';
  /** Identifies it among the tasks of its kind. */
  readonly id: number;
  /** The subject in words, such as the name of a table. */
  readonly about: string;
  /** The path of its page. Undefined if the caller may not open it. */
  readonly path: string | undefined;
  readonly isRunning: boolean;
  /** The progress, or the result, in words. */
  readonly progress: string;
  /** The last failure in words. Undefined if there was none. */
  readonly problem: string | undefined;
  /** Seconds since 1970. Undefined if it is not known. */
  readonly startedAt: number | undefined;
  /** The form that stops it. */
  readonly stop: { readonly path: string; readonly fields?: Readonly<Record<string, string>> } | undefined;
}

/** Returns the last tasks of each kind, the newest first. */
export async function gatherTasks({ api: { services }, actor }: Call): Promise<Task[]> {
  const { database } = services;
  database.refresh();
  const [changes, checks, uploads, imports, scans, index, removals, lists, merges] = await Promise.all([
    findLatestRuns(database, SHOWN),
    findRuns(database, SHOWN),
    listLatestTableUploads(database, SHOWN),
    importRuns.list(database, IS_OF_COMMAND, SHOWN),
    scanRuns.list(database, undefined, SHOWN),
    readIndexState(database),
    listRemovals(database, SHOWN),
    listRuns.list(database, undefined, SHOWN),
    mergeRuns.list(database, undefined, SHOWN),
  ]);
  const tasks = [
    ...changes.map(ofChange),
    ...checks.map(ofCheck),
    ...uploads.map((upload) => ofUpload(upload, actor.id, services.now())),
    ...imports.map(ofImport),
    ...scans.map(ofScan),
    ...ofIndex(index),
    ...removals.map(ofRemoval),
    ...lists.map(ofList),
    ...merges.map(ofMerge),
  ];
  const order = ({ startedAt = Number.POSITIVE_INFINITY }: Task) => startedAt;
  return tasks.sort((one, other) => order(other) - order(one));
}

function ofChange(run: BulkRun): Task {
  const { id, state, counts, message, createdAt } = run;
  const isRunning = state === 'running' || state === 'preparing';
  const lost = counts.failed + counts.skipped;
  return {
    ...{ kind: 'Bulk change', id, about: runHeading(run), path: pathOf('bulkRun', { run: id }), isRunning },
    progress: progressText(run),
    problem: message ?? (lost === 0 ? undefined : `${countInWords(lost, 'item')} failed or skipped.`),
    startedAt: createdAt,
    stop: isRunning ? { path: pathOf('bulkStop', { run: id }) } : undefined,
  };
}

function ofCheck(run: VerifyRun): Task {
  const { id, scope, total, checked, startedAt, endedAt, isUnderWay: isRunning } = run;
  const problems = problemsOf(run);
  const amount = `${checked.toLocaleString('en-GB')} of ${countInWords(total, 'file')}`;
  return {
    ...{ kind: 'Check of stored files', id, about: scopeInWords(scope), path: paths.fixity, isRunning, startedAt },
    progress: stateInWords(amount, isRunning, endedAt),
    problem: problems === 0 ? undefined : `${countInWords(problems, 'file')} not intact.`,
    stop: isRunning ? { path: paths.fixity, fields: { act: 'stop', run: String(id) } } : undefined,
  };
}

/** Only its user may open an upload. */
function ofUpload(upload: TableUpload, caller: number, now: number): Task {
  const { id, fileName, state, progress, failure, createdAt } = upload;
  const path = upload.userId === caller ? pathOf('tableImport', { table_import: id }) : undefined;
  const isRunning = isUnderWay(upload);
  const amount = isRunning && progress ? `: ${progressInWords(progress, now)}` : '.';
  return {
    ...{ kind: 'Import of a table', id, about: fileName, path, isRunning, startedAt: createdAt },
    progress: `${STATE_WORDS[state]}${amount}`,
    problem: failure?.message,
    stop: isRunning && path !== undefined ? { path, fields: { act: 'stop' } } : undefined,
  };
}

/** Deleted content of which many others had references. */
function ofRemoval({ type, id, left }: ShownRemoval): Task {
  return {
    ...{ kind: 'Deletion', id, about: `References to ${type.replaceAll('_', ' ')} ${id}`, path: undefined },
    ...{ isRunning: true, progress: `${countInWords(left, 'reference')} left` },
    ...{ problem: undefined, startedAt: undefined, stop: undefined },
  };
}

/** A merge goes on until its end: its term has no name of its own any more. */
function ofMerge({ id, about, progress = 0, createdAt, endedAt }: Listed<typeof mergeRuns>): Task {
  const { into, label, intoLabel } = about;
  const path = entityPath.taxonomy_term(into);
  const isRunning = endedAt === null;
  return {
    ...{ kind: 'Merge of terms', id, about: `${label} → ${intoLabel}`, path, isRunning, startedAt: createdAt },
    progress: stateInWords(`${countInWords(progress, 'entry', 'entries')} changed`, isRunning, endedAt),
    ...{ problem: undefined, stop: undefined },
  };
}

/** A command runs it: it has no page, and is stopped where it was started. */
const OF_COMMAND = { path: undefined, stop: undefined };

function ofImport({
  id,
  about,
  progress = 0,
  result,
  createdAt,
  endedAt,
  isUnderWay,
}: Listed<typeof importRuns>): Task {
  const amount = `${numberText(progress)} of ${countInWords(about.rows, 'row')}`;
  return {
    ...{ kind: 'Import of a table', id, about: about.path, ...OF_COMMAND, isRunning: isUnderWay },
    ...{ progress: stateInWords(amount, isUnderWay, endedAt), problem: result, startedAt: createdAt },
  };
}

function ofList({ id, about, progress, result, createdAt, endedAt, isUnderWay }: Listed<typeof listRuns>): Task {
  const { bytes = 0, records = 0 } = progress ?? {};
  const amount = `${countInWords(records, 'record')}, ${byteText(bytes)} of ${byteText(about.bytes)}`;
  return {
    ...{ kind: 'Authority list', id, about: about.name, ...OF_COMMAND, isRunning: isUnderWay },
    ...{ progress: stateInWords(amount, isUnderWay, endedAt), problem: result, startedAt: createdAt },
  };
}

function ofScan({ id, about, progress, createdAt, endedAt, isUnderWay }: Listed<typeof scanRuns>): Task {
  const { scanned = 0, queued = 0 } = progress ?? {};
  const verb = about.isDryRun ? 'missing' : 'queued';
  const amount = `${countInWords(scanned, 'media', 'media')} scanned, ${countInWords(queued, 'derivative')} ${verb}`;
  return {
    ...{ kind: 'Scan for derivatives', id, about: about.action ?? 'All derivatives', ...OF_COMMAND },
    ...{ isRunning: isUnderWay, progress: stateInWords(amount, isUnderWay, endedAt), problem: undefined },
    startedAt: createdAt,
  };
}

function stateInWords(amount: string, isRunning: boolean, endedAt: number | null | undefined): string {
  if (isRunning) return amount;
  return `${(endedAt ?? undefined) === undefined ? 'Interrupted at' : 'Finished:'} ${amount}.`;
}

function ofIndex({ building, done, total, isUnderWay: isRunning }: IndexState): Task[] {
  if (building === null) return [];
  const progress = `${done.toLocaleString('en-GB')} of ${countInWords(total, 'item')}`;
  const task = { kind: 'Search index', id: 1, about: 'A new index of all items' } as const;
  return [
    {
      ...{ ...task, path: undefined, isRunning, progress },
      ...{ problem: undefined, startedAt: undefined, stop: undefined },
    },
  ];
}
