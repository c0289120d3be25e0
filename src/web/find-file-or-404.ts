import { Type as t } from '@sinclair/typebox';
import { fileReadAccess, fileRemoveAccess } from '../repository/access.ts';
import type { Access } from '../repository/access-rule.ts';
import { mayReadFile } from '../repository/content/read/readable-files.ts';
import type { FileEntity } from '../repository/files/find-file.ts';
import type { Call } from './call.ts';
import { id } from './parameters.ts';

export const fileParams = t.Object({ file: id('The id of the file.') });

/** Returns the file that a path names. Throws 404 if it does not exist. */
export async function findFileOr404(call: Call): Promise<FileEntity> {
  const file = await call.api.findFile.byId(call.id('file'));
  if (file === undefined) throw call.notFound('file');
  return file;
}

/** Checks whether the caller may read the record and the bytes of a file. */
export async function viewAccess({ api, actor }: Call, { id }: FileEntity['row']): Promise<Access> {
  return fileReadAccess(await mayReadFile(api.services, actor, id));
}

/** Checks whether the caller may delete a file. */
export function removeAccess({ actor }: Call, { row }: FileEntity): Access {
  return fileRemoveAccess(actor, row);
}
