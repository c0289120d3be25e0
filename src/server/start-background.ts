import type { Log } from '../base/log.ts';
import { workOnRuns } from '../bulk/bulk-task.ts';
import { repeatClearing } from '../transfer/table-uploads/clear-table-uploads.ts';
import type { ApiServices } from '../web/api-services.ts';

/** Starts the background tasks of a server, which end with its other ones. */
export function startBackground(api: ApiServices, log: Log): void {
  const { background, tableUploadFolders, services } = api;
  background.start('the removal of old uploads', (signal) =>
    repeatClearing(services.database, tableUploadFolders, services.now, signal),
  );
  background.start('the work on bulk changes', (signal) => workOnRuns(api, log, signal));
}
