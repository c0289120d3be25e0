import { dirname } from 'node:path';
import { CommandError } from '../base/errors.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import { tableTemplate } from '../transfer/export/table-template.ts';
import { isThere, requireFolder, writeFileDurably } from '../transfer/files/durable-files.ts';
import { USUAL_TABLE_OPTIONS } from '../transfer/table/table-options.ts';
import { contextFor, type ExportFlags, requireContentType } from './export-nodes.ts';

/** Writes an empty table with a column for each field of a content type. Throws CommandError for an existing file. */
export async function exportTemplate(
  repository: CommandRepository,
  file: string,
  flags: ExportFlags,
): Promise<boolean> {
  const { contentType = USUAL_TABLE_OPTIONS.contentType, user } = flags;
  const context = await contextFor(repository, user);
  const type = requireContentType(context, contentType);
  if (await isThere(file)) throw new CommandError(`${file} exists. Name another file.`);
  await requireFolder(dirname(file));
  await writeFileDurably(file, await tableTemplate(context, type, file));
  console.log(`${file} is an empty table for ${type.label}. Fill it in below its second row, which imports skip.`);
  return true;
}
