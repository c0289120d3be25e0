import { ServiceError } from '../../base/errors.ts';
import { settlesWithin } from '../../base/settles-within.ts';
import { type FilePart, isFile } from '../../http/read-multipart.ts';
import { pathOf } from '../../paths.ts';
import type { TableUpload } from '../../transfer/table-uploads/table-upload.ts';
import { addTableUpload, findTableUpload } from '../../transfer/table-uploads/table-upload-store.ts';
import { beginCheck, beginImport, type TableUploadWork } from '../../transfer/table-uploads/work-on-table-upload.ts';
import type { Call } from '../../web/call.ts';
import { seeOther } from '../../web/form-answer.ts';
import { formParts } from '../../web/form-parts.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { readOptions } from './read-options.ts';

/** A small table is checked in this time: its page then shows the report at once. */
const CHECK_MS = 2_000;

/** Returns the parts of the server that work on uploads. */
export function tableUploadWork({ api }: Call): TableUploadWork {
  const { services, kinds, tableUploadFolders: folders, downloads, background, bulk } = api;
  return { services, kinds, folders, downloads, background, bulk };
}

/** The fields and files that a form has sent. */
interface ReceivedForm {
  readonly fields: ReadonlyMap<string, readonly string[]>;
  /** The name of the table. Undefined without one. */
  readonly tableName: string | undefined;
  readonly files: number;
}

/** Stores the table and the files of a form in a folder. Throws as `formParts` and `TableUploadWriter`. */
async function receive(call: Call, folder: string): Promise<ReceivedForm> {
  const { tableUploadFolders, maxUploadBytes } = call.api;
  const fields = new Map<string, string[]>();
  let tableName: string | undefined;
  let files = 0;
  const writer = await tableUploadFolders.writerFor(folder);
  for await (const part of formParts(call)) {
    if (!isFile(part)) {
      fields.set(part.name, [...(fields.get(part.name) ?? []), part.value]);
      continue;
    }
    // A file field in which nothing was chosen.
    if (part.fileName === '') continue;
    const bytes = limited(part, maxUploadBytes);
    if (part.name === 'table') {
      await writer.writeTable(bytes);
      tableName = part.fileName;
    } else if (part.name === 'files') {
      await writer.writeFile(part.fileName, bytes);
      files += 1;
    }
  }
  return { fields, tableName, files };
}

/** Receives a new table with its files, and begins its check. Returns the problems of the form, or the answer. */
export async function receiveTable(call: Call): Promise<Response | readonly FormProblem[]> {
  const { tableUploadFolders, services } = call.api;
  const folder = await tableUploadFolders.create();
  let isKept = false;
  try {
    const { fields, tableName } = await receive(call, folder);
    const first = (name: string) => fields.get(name)?.[0];
    const { options, errors } = readOptions({
      ...{
        delimiter: first('delimiter'),
        sheet: first('sheet'),
        content_type: first('content_type'),
        aim: first('aim'),
      },
    });
    if (tableName === undefined) return [{ field: 'table', message: 'Choose a table.' }, ...errors];
    if (errors.length > 0) return errors;
    const added = { folder, user: call.actor.id, fileName: tableName.slice(0, 255), options };
    const id = await addTableUpload(services.database, added);
    isKept = true;
    const upload = await findTableUpload(services.database, id);
    if (upload) await check(call, upload);
    return seeOther(call, pathOf('tableImport', { table_import: id }));
  } finally {
    if (!isKept) await tableUploadFolders.remove(folder);
  }
}

/** Receives further files of a table, or a corrected table, and checks again. */
export async function receiveFiles(call: Call, upload: TableUpload): Promise<Response | readonly FormProblem[]> {
  const { tableName, files } = await receive(call, upload.folder);
  if (tableName === undefined && upload.options.changes) return [{ field: 'table', message: 'Choose a table.' }];
  if (tableName === undefined && files === 0)
    return [{ field: 'files', message: 'Choose files, or a corrected table.' }];
  await check(call, upload);
  return seeOther(call, pathOf('tableImport', { table_import: upload.id }));
}

/** Starts what a checked table does, and waits for it a moment. Returns its page, or that of its bulk change. */
export async function start(call: Call, upload: TableUpload, reason: string | undefined): Promise<Response> {
  const { changes } = upload.options;
  const options =
    changes && reason !== undefined ? { ...upload.options, changes: { ...changes, reason } } : upload.options;
  const { ended } = await beginImport(tableUploadWork(call), call.actor, { ...upload, options }, call.baseUrl);
  const page = pathOf('tableImport', { table_import: upload.id });
  if (changes === undefined) return seeOther(call, page);
  await settlesWithin(ended, CHECK_MS);
  const run = (await findTableUpload(call.api.services.database, upload.id))?.run;
  return seeOther(call, run === undefined ? page : pathOf('bulkRun', { run }));
}

/** Begins the check of a table, and waits for it a moment. */
export async function check(call: Call, upload: TableUpload, options = upload.options): Promise<void> {
  const { ended } = await beginCheck(tableUploadWork(call), call.actor, upload, options);
  await settlesWithin(ended, CHECK_MS);
}

/** Returns the bytes of a file of a form. Throws `too-large` above the maximum of the server. */
async function* limited({ fileName, bytes }: FilePart, maxBytes: number | undefined): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of bytes) {
    read += chunk.byteLength;
    if (maxBytes !== undefined && read > maxBytes)
      throw new ServiceError('too-large', `${fileName.slice(0, 100)} has more than ${maxBytes} bytes, the maximum.`);
    yield chunk;
  }
}
