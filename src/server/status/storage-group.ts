import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { codeOf } from '../../base/errors.ts';
import { countInWords } from '../../base/in-words.ts';
import { settlesWithin } from '../../base/settles-within.ts';
import type { SchemeConfig } from '../../config/schemes.ts';
import type { JobServices } from '../../jobs/job-planner.ts';
import { countUnusedFiles, type UnusedCounts } from '../../repository/files/measure-files.ts';
import type { Scheme } from '../../repository/files/scheme.ts';
import { countStoredFiles, type FileCount } from '../../repository/files/stored-files.ts';
import type { StatusGroup, StatusLine } from '../../web/status-report.ts';
import { fine, fix, look, sizeText } from './status-line.ts';
import type { StatusParts } from './status-parts.ts';

/** Free space of a disk below which an administrator is warned: of its size, and in bytes. */
const LITTLE = { share: 0.1, bytes: 20e9 };
const HARDLY_ANY = { share: 0.02, bytes: 1e9 };
const CHECK_MS = 3_000;
/** Unused files are usual: each upload is unused until its item is saved. */
const MANY_UNUSED_BYTES = 1e9;

/** Returns the amounts of stored files, whether the stores work, and the free space of their disks. */
export async function storageGroup(parts: StatusParts, amounts: StoredAmounts): Promise<StatusGroup> {
  const { stores, unused } = await amounts.read();
  const { schemes } = parts.services;
  const lines = await Promise.all(
    parts.config.schemes.map((config) => schemeLine(config, schemes.get(config.name), stores.get(config.name))),
  );
  const { files, bytes, discarded } = unused;
  const value = `${countInWords(files, 'file')} of ${sizeText(bytes)}`;
  return {
    title: 'Storage',
    lines: [
      ...lines,
      await diskLine('Free space of the data folder', resolve(parts.config.dataFolder)),
      ...(await schemeDisks(parts)),
      bytes < MANY_UNUSED_BYTES
        ? fine('Unused files', value)
        : look(
            'Unused files',
            value,
            'See them with: repo storage gc. Delete those of interrupted work with --delete.',
          ),
      fine('Discarded objects that wait for removal', countInWords(discarded, 'object')),
    ],
  };
}

async function schemeLine(
  config: SchemeConfig,
  scheme: Scheme | undefined,
  amount: { readonly files: number; readonly bytes: number } | undefined,
): Promise<StatusLine> {
  const kind = config.driver === 'local' ? 'folder' : 'S3 bucket';
  const label = `${config.name}://`;
  const value = `${kind}, ${countInWords(amount?.files ?? 0, 'file')} of ${sizeText(amount?.bytes ?? 0)}`;
  try {
    if (scheme !== undefined && (await settlesWithin(scheme.storage.check(), CHECK_MS))) return fine(label, value);
  } catch {
    return fix(label, `${value}; it cannot be written to`, 'The log of the server has the reason.');
  }
  return fix(label, `${value}; it does not answer`, 'Check the address and the state of the store.');
}

/** Returns the free space of the disks of folders outside the data folder. */
async function schemeDisks({ config }: StatusParts): Promise<StatusLine[]> {
  const dataFolder = resolve(config.dataFolder);
  const apart = config.schemes.flatMap((scheme) => {
    const folder = scheme.driver === 'local' ? resolve(dataFolder, scheme.folder) : dataFolder;
    return folder.startsWith(dataFolder) ? [] : [{ name: scheme.name, folder }];
  });
  return Promise.all(apart.map(({ name, folder }) => diskLine(`Free space for ${name}://`, folder)));
}

async function diskLine(label: string, folder: string): Promise<StatusLine> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return judgeDisk(label, bavail * bsize, blocks * bsize);
  } catch (error) {
    return fix(label, `cannot be read (${codeOf(error) ?? 'unknown error'})`, 'Check that the disk is mounted.');
  }
}

/** Returns the line about the free space of a disk. */
export function judgeDisk(label: string, free: number, total: number): StatusLine {
  const value = `${sizeText(free)} of ${sizeText(total)}`;
  const isBelow = ({ share, bytes }: typeof LITTLE) => free < bytes && free < total * share;
  if (isBelow(HARDLY_ANY)) return fix(label, value, 'Free space now: writes fail when the disk is full.');
  if (isBelow(LITTLE)) return look(label, value, 'Extend the disk, or move files with: repo storage move');
  return fine(label, value);
}

/** The counts read every row of files: they are read again after this time. */
const KEPT_MS = 60_000;

interface Amounts {
  readonly stores: ReadonlyMap<string, FileCount>;
  readonly unused: UnusedCounts;
}

/** The amounts of stored files, which are counted at most once a minute. */
interface StoredAmounts {
  read(): Promise<Amounts>;
}

/** Creates the counter of stored files. */
export function createStoredAmounts(services: JobServices, now = () => performance.now()): StoredAmounts {
  let known: { readonly at: number; readonly amounts: Promise<Amounts> } | undefined;
  return {
    read() {
      if (known !== undefined && now() - known.at < KEPT_MS) return known.amounts;
      const amounts = countAll(services);
      known = { at: now(), amounts };
      amounts.catch(() => {
        known = undefined;
      });
      return amounts;
    },
  };
}

async function countAll({ database, schemes }: JobServices): Promise<Amounts> {
  const stores = new Map<string, FileCount>();
  for (const name of schemes.keys()) {
    stores.set(name, await countStoredFiles(database, name));
    // Reads of a local file do not give up the event loop.
    await setImmediate();
  }
  return { stores, unused: await countUnusedFiles(database) };
}
