import { hostname } from 'node:os';
import { ServiceError } from '../../base/errors.ts';
import type { TableUpload } from '../../transfer/table-uploads/table-upload.ts';
import { findTableUpload } from '../../transfer/table-uploads/table-upload-store.ts';
import type { Call } from '../../web/call.ts';

/** Returns the uploaded table of the caller. Those of others do not exist for them. */
export async function findOwn(call: Call): Promise<TableUpload> {
  const { database } = call.api.services;
  database.refresh();
  const upload = await findTableUpload(database, call.id('table_import'));
  if (upload === undefined || upload.userId !== call.actor.id) throw call.notFound('table_import');
  return upload;
}

/** Returns the name of the server with the table. Undefined if it is this one, or not known. */
export function otherServer({ host }: TableUpload): string | undefined {
  return host === null || host === hostname() ? undefined : host;
}

/** Throws `conflict` if this server does not have the table, which no other one can check or import. */
export async function requireHere({ api }: Call, upload: TableUpload): Promise<void> {
  if (await api.tableUploadFolders.hasTable(upload.folder)) return;
  const server = otherServer(upload);
  throw new ServiceError(
    'conflict',
    server === undefined
      ? 'The table was removed, or is on another server of this repository. Upload it again.'
      : `The table is on the server ${server}, and this is another one. Open the page there, or upload the table again.`,
  );
}
