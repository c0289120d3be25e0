import { PackageError } from './package.ts';

/** What most file systems take for one name, and for a whole path. */
const MAX_SEGMENT_BYTES = 255;
const MAX_PATH_BYTES = 4_000;
const DRIVE = /^[a-z]:/i;

/** Why a path within a package would be no good on some disk, as the end of a sentence; undefined for one that is good. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'it is empty';
  if (path.startsWith('/') || DRIVE.test(path)) return 'it is absolute; it must begin in the package';
  if (path.startsWith('~')) return 'it begins with ~, which stands for a home folder elsewhere';
  if (path.includes('\\')) return 'it has a \\ in it; folders are separated by /';
  if (path.includes('\0')) return 'it has a NUL in it';
  if (!path.isWellFormed() || path.includes('\ufffd')) return 'it is no UTF-8';
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `it is longer than ${MAX_PATH_BYTES} bytes`;
  for (const segment of path.split('/')) {
    if (segment === '') return 'it has an empty part';
    if (segment === '.' || segment === '..') return `it has the part ${segment}; it must stay in the package`;
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) return `a part of it is longer than ${MAX_SEGMENT_BYTES} bytes`;
  }
  return undefined;
}

/** Paths that can all be on the same disk, whatever the disk thinks of case and of composed characters. */
export class PathRegister {
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, string>();

  /** Throws PackageError for a path that is not safe, or that some disk would mix up with one that is there already. */
  add(path: string, where: string): void {
    const problem = pathProblem(path);
    if (problem !== undefined) throw new PackageError(`${where}: the path ${shown(path)} cannot be used: ${problem}.`);
    const steps = path.split('/');
    for (let count = 1; count < steps.length; count++) this.#addFolder(steps.slice(0, count).join('/'), path, where);
    const key = folded(path);
    const other = this.#files.get(key) ?? this.#folders.get(key);
    if (other !== undefined) throw collision(where, other, path);
    this.#files.set(key, path);
  }

  #addFolder(folder: string, path: string, where: string): void {
    const key = folded(folder);
    const file = this.#files.get(key);
    if (file !== undefined) throw collision(where, file, path);
    const known = this.#folders.get(key);
    if (known === undefined) this.#folders.set(key, folder);
    else if (known !== folder) throw collision(where, known, folder);
  }
}

/** A path as part of a message: on one line, whatever is in it. */
export function shown(path: string): string {
  const text = JSON.stringify(path);
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}

function folded(path: string): string {
  return path.normalize('NFC').toLowerCase().normalize('NFC');
}

function collision(where: string, one: string, other: string): PackageError {
  if (one === other) return new PackageError(`${where}: ${shown(one)} is there twice; it must be there once.`);
  return new PackageError(
    `${where}: ${shown(one)} and ${shown(other)} are the same name on some disks; rename one of them.`,
  );
}
