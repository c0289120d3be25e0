import { Type as t } from '@sinclair/typebox';
import { paths } from '../../paths.ts';
import { fileReadAccess, fileRemoveAccess } from '../../repository/access.ts';
import type { Access } from '../../repository/access-rule.ts';
import { mayReadFile } from '../../repository/content/readable-files.ts';
import type { FileEntity } from '../../repository/files/find-file.ts';
import type { Call } from '../call.ts';
import { id } from '../parameters.ts';

/** How 404 messages name the route of a file, at every address of its record. */
export const FILE_NAMES = { name: 'rest.entity.file', shownPath: paths.file };

export const fileParams = t.Object({ file: id('The id of the file.') });

/** Returns the file that a path names. Throws 404 with the message of the API. */
export async function findFileOr404(call: Call): Promise<FileEntity> {
  const file = await call.api.findFile.byId(Number(call.params.file));
  if (file === undefined) throw call.notFound('file');
  return file;
}

/** Returns whether the caller may see a file and read its bytes. */
export async function viewAccess({ api, actor }: Call, { id }: FileEntity['row']): Promise<Access> {
  return fileReadAccess(await mayReadFile(api.services, actor, id));
}

/** Returns whether the caller may delete a file. */
export function removeAccess({ actor }: Call, { row }: FileEntity): Access {
  return fileRemoveAccess(actor, row);
}
