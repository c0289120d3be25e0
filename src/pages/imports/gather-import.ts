import { termAccess } from '../../repository/access.ts';
import type { TableUpload } from '../../transfer/uploads/upload.ts';
import type { Call } from '../../web/call.ts';
import { otherServer } from './find-own-import.ts';
import type { TableImportData } from './table-import-data.ts';

/** Gathers the data of the page of an uploaded table. */
export async function gatherImport(
  call: Call,
  upload: TableUpload,
  errors: TableImportData['errors'] = [],
): Promise<TableImportData> {
  const { services, uploadFolders } = call.api;
  const { folder } = upload;
  const [files, isHere, result] = await Promise.all([
    uploadFolders.listFiles(folder),
    uploadFolders.hasTable(folder),
    uploadFolders.findResult(folder),
  ]);
  const { nodeTypes, textFormats, vocabularies } = services.model;
  const choice = ({ name, label }: { readonly name: string; readonly label: string }) => ({ value: name, label });
  return {
    ...{ ...upload, now: services.now(), errors },
    uploaded: { count: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) },
    isHere,
    otherServer: otherServer(upload),
    hasResult: result !== undefined,
    contentTypes: [...nodeTypes.values()].map(choice),
    textFormats: [...textFormats.values()].map(choice),
    vocabularies: [...vocabularies.values()]
      .filter(({ name }) => termAccess.create(call.actor, name).isAllowed)
      .map(choice),
    formToken: call.formToken,
  };
}
