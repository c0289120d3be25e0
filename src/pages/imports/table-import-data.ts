import { termAccess } from '../../repository/access.ts';
import type { TableUpload } from '../../transfer/table-uploads/table-upload.ts';
import type { Call } from '../../web/call.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { otherServer } from './find-own-import.ts';

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The page of one uploaded table. */
export interface TableImportData extends TableUpload {
  /** The present time, in seconds since 1970. */
  readonly now: number;
  /** The uploaded files and their size. */
  readonly uploaded: { readonly count: number; readonly bytes: number };
  /** True if this server has the table. */
  readonly isHere: boolean;
  /** The name of the server with the table, if it is another one. */
  readonly otherServer: string | undefined;
  readonly hasResult: boolean;
  readonly contentTypes: readonly Choice[];
  readonly textFormats: readonly Choice[];
  /** The vocabularies in which the caller may create terms. */
  readonly vocabularies: readonly Choice[];
  readonly errors: readonly FormProblem[];
  readonly formToken: string;
}

/** A part of the page of an uploaded table. */
export interface ImportPart {
  readonly data: TableImportData;
  readonly root: string;
}

/** The page of all uploaded tables of a caller. */
export interface TableImportsData extends Pick<TableImportData, 'now' | 'errors' | 'formToken' | 'contentTypes'> {
  readonly imports: readonly TableUpload[];
  readonly maxFileBytes: number | undefined;
}

/** Gathers the data of the page of an uploaded table. */
export async function gatherImport(
  call: Call,
  upload: TableUpload,
  errors: TableImportData['errors'] = [],
): Promise<TableImportData> {
  const { services, tableUploadFolders } = call.api;
  const { folder } = upload;
  const [files, isHere, result] = await Promise.all([
    tableUploadFolders.listFiles(folder),
    tableUploadFolders.hasTable(folder),
    tableUploadFolders.findResult(folder),
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
