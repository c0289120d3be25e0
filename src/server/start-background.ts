import type { Log } from '../base/log.ts';
import { createBulkTask } from '../bulk/bulk-task.ts';
import { createForgetTask } from '../bulk/forget-runs.ts';
import type { Database } from '../database/database.ts';
import { createNoticeTask } from '../repository/asking/access-notices.ts';
import { createRemovalTask } from '../repository/removal-task.ts';
import { createIndexTask } from '../repository/search-index/index-task.ts';
import { createMergeTask } from '../repository/terms/merge-task.ts';
import { createSimilarTask } from '../repository/terms/similar-terms.ts';
import { createTrafficTask } from '../repository/traffic/traffic-store.ts';
import { createUsageTask } from '../repository/usage/usage-task.ts';
import { keepWorking, type Work } from '../runs/keep-working.ts';
import { createClearTask } from '../transfer/table-uploads/clear-table-uploads.ts';
import { createScheduledChecks } from '../upkeep/fixity/verify-schedule.ts';
import { createDatabaseChecks } from '../upkeep/integrity/check-schedule.ts';
import type { ApiServices } from '../web/api-services.ts';

/** The interval at which a server looks whether the files of its database are there, in milliseconds. */
const FILES_LOOK_MS = 30_000;

/** The task that reports removed files of a database that nobody writes to. */
function createFileWatch(database: Database): Work {
  return {
    failure: 'the files of the database were removed: nothing can be saved',
    lookMs: FILES_LOOK_MS,
    async step() {
      database.requireFiles();
      return false;
    },
  };
}

/** Starts the background tasks of a server. */
export function startBackground(api: ApiServices, log: Log): void {
  const { background, failures, services, tableUploadFolders, usage, mail, accessNoticeDays } = api;
  const tasks: Readonly<Record<string, Work>> = {
    'the check of stored files': createScheduledChecks(services, log),
    'the watch of the database files': createFileWatch(services.database),
    'the check of the database': createDatabaseChecks(services, log),
    'the removal of old uploads': createClearTask(services.database, tableUploadFolders, services.now),
    'the work on bulk changes': createBulkTask(api),
    'the deletion of old runs': createForgetTask(services.database),
    'the merges of terms': createMergeTask(api),
    'the reports of similar terms': createSimilarTask(api),
    'the removal of references': createRemovalTask(services),
    'the traffic': createTrafficTask(services.database, api.traffic, api.trafficKeptSeconds, services.now),
    'the search index': createIndexTask(services, log),
    ...(mail !== undefined &&
      accessNoticeDays > 0 && {
        'the mails about rules that end': createNoticeTask({
          ...{ services, mail, days: accessNoticeDays },
          siteName: () => api.siteName,
        }),
      }),
    ...(usage.store && { 'the usage statistics': createUsageTask(usage.store, usage.waker) }),
  };
  for (const [name, task] of Object.entries(tasks))
    background.start(name, (signal) => keepWorking(task, log, signal, failures));
}
