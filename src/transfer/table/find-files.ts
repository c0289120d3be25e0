import { constants } from 'node:fs';
import { access, lstat, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { Cache } from '../../base/cache.ts';
import { codeOf } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { type CellFault, shown } from '../../field-types/cell.ts';
import { hasControls } from '../../http/content-disposition.ts';
import { COMMAND_WORDS } from './option-words.ts';
import { faulty } from './row-plan.ts';

/** A file that a table names, with its real path. */
export interface NamedFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: number;
}

/** Finds the files of cells in one folder, and resolves links. */
export type FindFile = (cell: string) => Promise<NamedFile | CellFault>;

const MAX_LISTING_BYTES = 16 * 1024 * 1024;
/** Estimated bytes of a listing with some thousand names. */
const LISTING_BYTES = 160 * 1024;
/** Maximum number of names in a folder, and of missing files, that get a suggestion, because comparing names takes time. */
const MAX_COMPARED = 5_000;
const MAX_GUESSES = 100;

/** Creates the look-up for an existing folder, which must not change during a check. */
export async function createFindFile(folder: string, { missingFile } = COMMAND_WORDS): Promise<FindFile> {
  const root = await realpath(folder);
  const listings = new Cache<Promise<string[]>>({ maxBytes: MAX_LISTING_BYTES, bytesOf: () => LISTING_BYTES });
  let guesses = 0;

  /** Lists a folder once for all files that are missing in it. */
  function listed(path: string): Promise<string[]> {
    const known = listings.get(path);
    if (known) return known;
    const names = readdir(path);
    listings.set(path, names);
    return names;
  }

  async function resolved(path: string): Promise<NamedFile | CellFault> {
    const parent = await realpath(dirname(path));
    if (!isWithin(root, parent)) return leadsOut(path);
    const own = join(parent, basename(path));
    const entry = await lstat(own);
    if (!entry.isSymbolicLink()) return checked(own, entry.isFile(), entry.isDirectory(), entry.size);
    const target = await realpath(own);
    if (!isWithin(root, target)) return leadsOut(path);
    const facts = await stat(target);
    return checked(target, facts.isFile(), facts.isDirectory(), facts.size, basename(path));
  }

  async function checked(
    path: string,
    isFile: boolean,
    isFolder: boolean,
    bytes: number,
    name = basename(path),
  ): Promise<NamedFile | CellFault> {
    if (!isFile) return faulty(`${shown(name)} is ${isFolder ? 'a folder' : 'no regular file'}.`);
    if (hasControls(name)) return faulty(`The file name ${shown(name)} has control characters.`);
    await access(path, constants.R_OK);
    return { path, name, bytes };
  }

  function leadsOut(path: string): CellFault {
    return faulty(`${shown(relative(folder, path))} is a link to a place outside the folder of files.`);
  }

  async function missing(path: string, cell: string): Promise<NamedFile | CellFault> {
    const names: readonly string[] = await listed(dirname(path)).catch(() => []);
    const name = basename(path);
    if (names.includes(name)) return faulty(`${shown(cell)} is a link to a missing file.`);
    // Some systems compose é in file names, others decompose it.
    const twin = names.find((each) => each !== name && each.normalize('NFC') === name.normalize('NFC'));
    if (twin !== undefined) return find(join(dirname(path), twin));
    const isCompared = names.length <= MAX_COMPARED && guesses < MAX_GUESSES;
    if (isCompared) guesses += 1;
    const guess = isCompared ? nearest(name, names) : undefined;
    const advice = cell.includes('\\') ? ' Separate folders by "/".' : '';
    const hint = guess === undefined ? advice : ` Did you mean ${guess}?`;
    return faulty(`The file ${shown(cell)} ${missingFile}.${hint}`);
  }

  async function find(cell: string): Promise<NamedFile | CellFault> {
    const path = resolve(folder, cell);
    if (!isWithin(resolve(folder), path) && !isWithin(root, path)) {
      return faulty(`${shown(cell)} is outside the folder of files.`);
    }
    if (path === resolve(folder) || path === root) return faulty(`${shown(cell)} is the folder of files itself.`);
    try {
      return await resolved(path);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return missing(path, cell);
      if (code === undefined) throw error;
      return faulty(`Cannot read the file ${shown(cell)}: ${code === 'EACCES' ? 'permission denied' : code}.`);
    }
  }

  return find;
}

function isWithin(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
