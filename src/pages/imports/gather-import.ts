import { termAccess } from '../../repository/access.ts';
import type { TableUpload, UploadProgress } from '../../transfer/uploads/upload.ts';
import type { Call } from '../../web/call.ts';
import { otherServer } from './find-own-import.ts';
import type { ImportProgressData, TableImportData, TableImportRow } from './table-import-data.ts';

/** A part of work after which the rest is estimated. */
const MIN_PART = 0.02;

/** Returns an uploaded table for the list. */
export function importRow(upload: TableUpload, now: number): TableImportRow {
  const { id, fileName, state, createdAt, progress, report } = upload;
  return {
    id,
    fileName,
    state,
    createdAt,
    progress: progress && progressData(progress, now),
    problems: report?.problemCount,
  };
}

/** Gathers the data of the page of an uploaded table. */
export async function gatherImport(
  call: Call,
  upload: TableUpload,
  errors: TableImportData['errors'] = [],
): Promise<TableImportData> {
  const { services, uploadFolders } = call.api;
  const { folder, options, report, failure, stops } = upload;
  const [files, isHere, result] = await Promise.all([
    uploadFolders.listFiles(folder),
    uploadFolders.hasTable(folder),
    uploadFolders.findResult(folder),
  ]);
  const { nodeTypes, textFormats, vocabularies } = services.model;
  const choice = ({ name, label }: { readonly name: string; readonly label: string }) => ({ value: name, label });
  return {
    ...importRow(upload, services.now()),
    ...{ options, report, failure, stops, errors },
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

/** Returns how far the work is, with the estimated time that is left. */
export function progressData(progress: UploadProgress, now: number): ImportProgressData {
  const { rows, totalRows, nodes, files, bytes, terms, part, firstPart, startedAt } = progress;
  const [done, elapsed] = [part - firstPart, now - startedAt];
  const secondsLeft = done >= MIN_PART ? Math.round((elapsed / done) * (1 - part)) : undefined;
  return { rows, totalRows, nodes, files, bytes, terms, part, secondsLeft };
}
