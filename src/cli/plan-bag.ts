import { lstat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CommandError, codeOf } from '../base/errors.ts';
import { countInWords } from '../base/in-words.ts';
import type { CommandRepository } from '../server/open-repository-for-command.ts';
import { readBag } from '../transfer/bagit/read-bag.ts';
import { isThere, writeFileDurably } from '../transfer/files/durable-files.ts';
import { type Package, PackageError } from '../transfer/files/package.ts';
import { planItems } from '../transfer/import/plan-items.ts';
import { NODE_PATH } from '../transfer/package/package-layout.ts';
import type { ImportFlags } from './import-flags.ts';
import { importContext } from './import-table.ts';
import { unlessStopped } from './stop-signal.ts';
import { filesText, plainLine } from './text.ts';

/** The maximum number of files without a row that are shown. */
const MAX_SHOWN = 20;
const PAYLOAD_FOLDER = 'data';

/**
 * Verifies the bag of plain files of `--bag`, and writes the table of `--plan`, which `repo import` loads. Returns false
 * after Ctrl-C.
 */
export async function planBag(repository: CommandRepository, flags: ImportFlags): Promise<boolean> {
  const { bag = '', plan: target = '', foldersAsItems = false, user } = flags;
  if (await isThere(target)) throw new CommandError(`${target} exists. Remove it, or name another table.`);
  const context = await importContext(repository, user);
  const source = await unlessStopped('The bag was not read to its end. Nothing was written.', (signal) =>
    read(bag, signal),
  );
  if (source === undefined) return false;
  const files = source.versions[0]?.files ?? new Map();
  if (files.has(NODE_PATH))
    throw new CommandError(`${bag} is a bag of repo export. Import it without --plan: repo import --bag ${bag}`);
  const { table, items, leftOut, ...sum } = await planItems(context, files, { foldersAsItems });
  if (items === 0) throw new CommandError(`No media type accepts a file of ${bag}. Nothing was written.`);
  await writeFileDurably(target, table, []);
  console.log(`${target}: ${countInWords(items, 'item')} with ${filesText(sum.files, sum.bytes)}.`);
  for (const path of leftOut.slice(0, MAX_SHOWN)) console.error(plainLine(`No media type accepts ${path}: left out.`));
  if (leftOut.length > MAX_SHOWN) console.error(`… and ${countInWords(leftOut.length - MAX_SHOWN, 'more file')}.`);
  const isFile = (await lstat(bag)).isFile();
  const folder = isFile ? `FOLDER/${PAYLOAD_FOLDER}` : join(bag, PAYLOAD_FOLDER);
  if (isFile) console.log(`Unpack ${basename(bag)} into a folder.`);
  console.log(`Edit the table if you wish, then import it: repo import ${target} --files ${folder}`);
  return true;
}

async function read(bag: string, signal: AbortSignal): Promise<Package> {
  try {
    return await readBag(bag, { signal });
  } catch (error) {
    if (error instanceof PackageError) throw new CommandError(error.message);
    if (codeOf(error) === 'ENOENT') throw new CommandError(`Cannot open ${bag}: no such file or folder.`);
    throw error;
  }
}
