import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';

/** The folder of the library in the data folder. */
const FOLDER = 'native';
const DIGEST_CHARS = 16;
const PART_BYTES = 256 * 1024;

/** The native part of libSQL inside the executable (`src/build/native-packages.ts`). */
export interface EmbeddedLibrary {
  /** Its path in the executable. */
  readonly file: string;
  readonly sha256: string;
}

/** A folder in which the library could not be used. */
interface RefusedFolder {
  readonly folder: string;
  readonly cause: unknown;
}

/** The native part of libSQL could be loaded from no folder. */
export class UnloadableLibraryError extends Error {
  override readonly name = 'UnloadableLibraryError';
  readonly refused: readonly RefusedFolder[];

  constructor(refused: readonly RefusedFolder[]) {
    super(`libSQL cannot be loaded: ${refused.map(({ folder, cause }) => `${folder}: ${cause}`).join('; ')}`);
    this.refused = refused;
  }
}

/** A copy of the library on the disk differs from the one in the executable. */
export class ChangedLibraryError extends Error {
  override readonly name = 'ChangedLibraryError';
}

/** The folder belongs to another user, or others may write to it. */
export class SharedFolderError extends Error {
  override readonly name = 'SharedFolderError';
}

type NativeFunctions = Readonly<Record<string, (...args: unknown[]) => unknown>>;

let dataFolder: string | undefined;
let loaded: NativeFunctions | undefined;

/** Names the data folder, which is preferred to the folder for temporary files. Call it before a database is opened. */
export function unpackLibraryInto(folder: string): void {
  dataFolder = folder;
}

/**
 * Returns stubs for the functions of a library. The first call loads it, passes its functions to `take`, and calls the
 * function: the data folder may not exist before. Throws UnloadableLibraryError.
 */
export function createStubs(library: EmbeddedLibrary, take: (functions: NativeFunctions) => void): NativeFunctions {
  return new Proxy<Record<string, (...args: unknown[]) => unknown>>(
    {},
    {
      get: (_, name) =>
        function callLoaded(this: unknown, ...args: unknown[]) {
          loaded ??= loadLibrary(library, foldersFor(dataFolder));
          take(loaded);
          return loaded[String(name)]?.apply(this, args);
        },
    },
  );
}

/** Returns the folders for the library: one in an existing data folder, then a private one for temporary files. */
function foldersFor(data: string | undefined): string[] {
  const user = process.getuid?.() ?? 'user';
  const temporary = join(tmpdir(), `repo-${user}`);
  const isThere = data !== undefined && lstatSync(data, { throwIfNoEntry: false }) !== undefined;
  return isThere ? [join(data, FOLDER), temporary] : [temporary];
}

/** Loads a library from the first of these folders where that is possible. Throws UnloadableLibraryError. */
export function loadLibrary(library: EmbeddedLibrary, folders: readonly string[]): NativeFunctions {
  const refused: RefusedFolder[] = [];
  for (const folder of folders) {
    try {
      return load(unpackLibrary(library, folder));
    } catch (cause) {
      refused.push({ folder, cause });
    }
  }
  throw new UnloadableLibraryError(refused);
}

function load(file: string): NativeFunctions {
  const module = { exports: {} };
  try {
    process.dlopen(module, file);
  } catch (error) {
    // It is of no use there, and the disk may be small.
    rmSync(file, { force: true });
    throw error;
  }
  return module.exports;
}

/**
 * Unpacks a library into a folder of this user, and returns its path. Uses an existing copy with the right digest: the
 * threads of a process must load the same file, since two copies of SQLite would release each other's locks. Throws
 * SharedFolderError, ChangedLibraryError and errors of the file system.
 */
export function unpackLibrary({ file, sha256 }: EmbeddedLibrary, folder: string): string {
  const target = join(folder, `libsql-${sha256.slice(0, DIGEST_CHARS)}.node`);
  requireOwnFolder(folder);
  if (digestOf(target) === sha256) return target;
  const unfinished = `${target}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(unfinished, readFileSync(file), { flag: 'wx', mode: 0o600 });
    if (digestOf(unfinished) !== sha256) throw new ChangedLibraryError(`${unfinished} differs from ${file}`);
    renameSync(unfinished, target);
  } finally {
    rmSync(unfinished, { force: true });
  }
  return target;
}

/** Creates a folder that only this user may write to. Others could replace the library between its check and its use. */
function requireOwnFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
    // The umask may have removed permissions of the owner.
    chmodSync(folder, 0o700);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const { uid, mode } = lstatSync(folder);
  if (process.getuid === undefined) return;
  if (uid !== process.getuid() || (mode & 0o022) !== 0) throw new SharedFolderError(folder);
}

/** Reads a file in parts: as a whole it would stay in the memory of the process. */
function digestOf(file: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const hash = createHash('sha256');
    const part = new Uint8Array(PART_BYTES);
    for (let bytes = readSync(descriptor, part); bytes > 0; bytes = readSync(descriptor, part))
      hash.update(part.subarray(0, bytes));
    return hash.digest('hex');
  } finally {
    closeSync(descriptor);
  }
}
