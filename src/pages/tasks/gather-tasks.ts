import { countInWords } from '../../base/in-words.ts';
import { type BulkRun, findLatestRuns } from '../../bulk/find-runs.ts';
import { pathOf, paths } from '../../paths.ts';
import { listRemovals, type ShownRemoval } from '../../repository/removal-task.ts';
import { type IndexState, readIndexState } from '../../repository/search-index/index-state.ts';
import { isUnderWay, type TableUpload } from '../../transfer/table-uploads/table-upload.ts';
import { listLatestTableUploads } from '../../transfer/table-uploads/table-upload-store.ts';
import { findRuns, type ShownRun } from '../../upkeep/fixity/find-runs.ts';
import { problemsOf } from '../../upkeep/fixity/verify-run.ts';
import type { Call } from '../../web/call.ts';
import { scopeInWords } from '../admin/fixity-words.ts';
import { progressInWords, STATE_WORDS } from '../imports/import-words.ts';
import { progressText, runHeading } from '../manage/bulk-words.ts';

/** The number of tasks of each kind. */
const SHOWN = 20;

/** Work in the background: one that runs, or one that has come to its end. */
export interface Task {
  readonly kind: 'Bulk change' | 'Deletion' | 'Check of stored files' | 'Import of a table' | 'Search index';
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
  const [changes, checks, uploads, index, removals] = await Promise.all([
    findLatestRuns(database, SHOWN),
    findRuns(database, SHOWN),
    listLatestTableUploads(database, SHOWN),
    readIndexState(database),
    listRemovals(database, SHOWN),
  ]);
  const tasks = [
    ...changes.map(ofChange),
    ...checks.map(ofCheck),
    ...uploads.map((upload) => ofUpload(upload, actor.id, services.now())),
    ...ofIndex(index),
    ...removals.map(ofRemoval),
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

function ofCheck(run: ShownRun): Task {
  const { id, scope, total, checked, startedAt, endedAt, isUnderWay: isRunning } = run;
  const problems = problemsOf(run);
  const amount = `${checked.toLocaleString('en-GB')} of ${countInWords(total, 'file')}`;
  return {
    ...{ kind: 'Check of stored files', id, about: scopeInWords(scope), path: paths.fixity, isRunning, startedAt },
    progress: isRunning ? amount : `${endedAt === undefined ? 'Interrupted at' : 'Finished:'} ${amount}.`,
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

function ofIndex({ building, done, total, lease }: IndexState): Task[] {
  if (building === null) return [];
  const progress = `${done.toLocaleString('en-GB')} of ${countInWords(total, 'item')}`;
  const task = { kind: 'Search index', id: 1, about: 'A new index of all items' } as const;
  return [
    {
      ...{ ...task, path: undefined, isRunning: lease !== null, progress },
      ...{ problem: undefined, startedAt: undefined, stop: undefined },
    },
  ];
}
