import type { Log } from '../base/log.ts';
import { createBulkTask } from '../bulk/bulk-task.ts';
import { createForgetTask } from '../bulk/forget-runs.ts';
import { createRemovalTask } from '../repository/removal-task.ts';
import { createIndexTask } from '../repository/search-index/index-task.ts';
import { keepWorking, type Work } from '../runs/keep-working.ts';
import { createClearTask } from '../transfer/table-uploads/clear-table-uploads.ts';
import { createScheduledChecks } from '../upkeep/fixity/verify-schedule.ts';
import type { ApiServices } from '../web/api-services.ts';

/** Starts the background tasks of a server. */
export function startBackground(api: ApiServices, log: Log): void {
  const { background, services, tableUploadFolders } = api;
  const tasks: Readonly<Record<string, Work>> = {
    'the check of stored files': createScheduledChecks(services, log),
    'the removal of old uploads': createClearTask(services.database, tableUploadFolders, services.now),
    'the work on bulk changes': createBulkTask(api),
    'the deletion of old bulk changes': createForgetTask(services.database),
    'the removal of references': createRemovalTask(services),
    'the search index': createIndexTask(services, log),
  };
  for (const [name, task] of Object.entries(tasks)) background.start(name, (signal) => keepWorking(task, log, signal));
}
