import { PackageError } from './package.ts';

/** Maximum lengths of a name and of a path in most file systems. */
const MAX_SEGMENT_BYTES = 255;
const MAX_PATH_BYTES = 4_000;
const DRIVE = /^[a-z]:/i;

/** Returns why a path of a package is invalid on some file system, as the end of a sentence; undefined if it is valid. */
export function pathProblem(path: string): string | undefined {
  if (path === '') return 'it is empty';
  if (path.startsWith('/') || DRIVE.test(path)) return 'it is absolute; it must be relative';
  if (path.startsWith('~')) return 'it begins with ~, which may stand for a home folder';
  if (path.includes('\\')) return 'it contains \\; the separator of folders is /';
  if (path.includes('\0')) return 'it contains a NUL';
  if (!path.isWellFormed() || path.includes('\ufffd')) return 'it is not UTF-8';
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return `it is longer than ${MAX_PATH_BYTES} bytes`;
  for (const segment of path.split('/')) {
    if (segment === '') return 'it has an empty part';
    if (segment === '.' || segment === '..') return `it has the part ${segment}, which is not allowed`;
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) return `a part of it is longer than ${MAX_SEGMENT_BYTES} bytes`;
  }
  return undefined;
}

/** A set of paths that are distinct on any file system, also without regard to case and Unicode normalization. */
export class PathRegister {
  readonly #files = new Map<string, string>();
  readonly #folders = new Map<string, string>();

  /** Adds a path. Throws PackageError if it is unsafe, or equal to an earlier path on some file system. */
  add(path: string, where: string): void {
    const problem = pathProblem(path);
    if (problem !== undefined) throw new PackageError(`${where}: invalid path ${shown(path)}: ${problem}.`);
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

/** Returns a path for a message, on one line. */
export function shown(path: string): string {
  const text = JSON.stringify(path);
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}

function folded(path: string): string {
  return path.normalize('NFC').toLowerCase().normalize('NFC');
}

function collision(where: string, one: string, other: string): PackageError {
  if (one === other) return new PackageError(`${where}: duplicate path ${shown(one)}.`);
  return new PackageError(
    `${where}: ${shown(one)} and ${shown(other)} are the same name on some file systems. Rename one of them.`,
  );
}
