import { randomBytes } from 'node:crypto';
import { constants, type Dirent } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf, malformed, ServiceError } from '../../base/errors.ts';
import { hasControls } from '../../http/content-disposition.ts';
import { isThere } from '../files/durable-files.ts';

const TABLE = 'table.csv';
const FILES = 'files';
const RESULT = 'result.csv';
const FOLDER_NAME = /^[0-9a-f]{32}$/;
const MAX_NAME_BYTES = 255;
const DISK_FULL = new Set(['ENOSPC', 'EDQUOT']);

/** An uploaded file. */
export interface UploadedFile {
  readonly name: string;
  readonly bytes: number;
}

/** Writes the parts of one request into a folder. */
export interface TableUploadWriter {
  /** Stores the table. Throws `too-large` above the limit, and `storage-full`. */
  writeTable(bytes: AsyncIterable<Uint8Array>): Promise<number>;
  /** Stores a file of the table; one of the same name is replaced. Throws as `writeTable`, and `malformed` for an unusable name. */
  writeFile(name: string, bytes: AsyncIterable<Uint8Array>): Promise<number>;
}

/** The folders of uploaded tables with their files. Their total size is limited. */
export interface TableUploadFolders {
  /** Creates a folder, and returns its name. */
  create(): Promise<string>;
  /** Returns a writer into a folder, with the space that is left now. */
  writerFor(folder: string): Promise<TableUploadWriter>;
  /** Returns the files of a table. */
  listFiles(folder: string): Promise<UploadedFile[]>;
  /** Returns true if this server has the table. */
  hasTable(folder: string): Promise<boolean>;
  /** Returns the table of results. Undefined if there is none. */
  findResult(folder: string): Promise<Bun.BunFile | undefined>;
  /** Returns the paths of a folder, its table, its files and its results. */
  pathsOf(folder: string): Readonly<Record<'path' | 'table' | 'files' | 'result', string>>;
  /** Removes the table and its files, and keeps the results. */
  removeSources(folder: string): Promise<void>;
  remove(folder: string): Promise<void>;
  /** Removes the folders that have not changed since a time (milliseconds since 1970), except those to keep. */
  removeOld(before: number, keep: ReadonlySet<string>): Promise<void>;
}

/** Creates the access to the folders in `root`, which together hold at most `maxBytes`. */
export function createTableUploadFolders(root: string, maxBytes: number): TableUploadFolders {
  const pathsOf = (folder: string) => {
    if (!FOLDER_NAME.test(folder)) throw new Error(`${folder} is no folder of an upload`);
    const path = join(root, folder);
    return { path, table: join(path, TABLE), files: join(path, FILES), result: join(path, RESULT) };
  };

  async function write(path: string, bytes: AsyncIterable<Uint8Array>, left: number): Promise<number> {
    const part = `${path}.${randomBytes(6).toString('hex')}.part`;
    try {
      const written = await writeLimited(part, bytes, left);
      await rename(part, path);
      return written;
    } catch (error) {
      await rm(part, { force: true });
      if (DISK_FULL.has(codeOf(error) ?? ''))
        throw new ServiceError('storage-full', 'The disk of the server is full.', { cause: error });
      throw error;
    }
  }

  return {
    pathsOf,
    async create() {
      const folder = randomBytes(16).toString('hex');
      await mkdir(pathsOf(folder).files, { recursive: true, mode: 0o700 });
      return folder;
    },
    async writerFor(folder) {
      const { table, files } = pathsOf(folder);
      let left = maxBytes - (await sizeOf(root));
      const store = async (path: string, bytes: AsyncIterable<Uint8Array>) => {
        const written = await write(path, bytes, left);
        left -= written;
        return written;
      };
      return {
        writeTable: (bytes) => store(table, bytes),
        writeFile: async (name, bytes) => store(join(files, usableName(name)), bytes),
      };
    },
    async listFiles(folder) {
      const { files } = pathsOf(folder);
      const names = await readdir(files).catch(missing<string[]>([]));
      const listed = names
        .filter((name) => !name.endsWith('.part'))
        .sort()
        .map(async (name) => ({ name, bytes: await sizeOfFile(join(files, name)) }));
      return Promise.all(listed);
    },
    hasTable: (folder) => isThere(pathsOf(folder).table),
    async findResult(folder) {
      const file = Bun.file(pathsOf(folder).result);
      return (await file.exists()) ? file : undefined;
    },
    async removeSources(folder) {
      const { table, files } = pathsOf(folder);
      await Promise.all([rm(table, { force: true }), rm(files, { recursive: true, force: true })]);
    },
    remove: (folder) => rm(pathsOf(folder).path, { recursive: true, force: true }),
    async removeOld(before, keep) {
      if (!(await isThere(root))) return;
      for (const name of await readdir(root)) {
        const path = join(root, name);
        if (keep.has(name) || !FOLDER_NAME.test(name) || (await stat(path)).mtimeMs > before) continue;
        await rm(path, { recursive: true, force: true });
      }
    },
  };
}

async function writeLimited(path: string, bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<number> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  let written = 0;
  try {
    for await (const chunk of bytes) {
      written += chunk.byteLength;
      if (written > maxBytes)
        throw new ServiceError(
          'too-large',
          'The uploaded tables and files would take more space than this server allows (imports.maxBytes). Remove imports that have ended.',
        );
      await file.writeFile(chunk);
    }
    return written;
  } finally {
    await file.close();
  }
}

/** Returns the total size of the files below a folder. */
async function sizeOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(missing<Dirent[]>([]))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += await sizeOf(path);
    else bytes += await sizeOfFile(path);
  }
  return bytes;
}

/** Returns the size of a file; 0 if it was removed meanwhile. */
async function sizeOfFile(path: string): Promise<number> {
  return stat(path).then(({ size }) => size, missing(0));
}

/** Returns a handler that replaces the error of a missing file or folder, which another request may have removed. */
function missing<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (codeOf(error) === 'ENOENT') return instead;
    throw error;
  };
}

/** Returns the name of a file. Throws `malformed` for one that no file can have, or that leaves the folder. */
function usableName(name: string): string {
  const isUsable =
    name !== '' && name !== '.' && name !== '..' && !/[/\\]/.test(name) && !hasControls(name) && name.isWellFormed();
  if (!isUsable || name.endsWith('.part'))
    throw malformed(`A file cannot have the name ${JSON.stringify(name.slice(0, 100))}. Rename it.`);
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw malformed(`The name of a file is longer than ${MAX_NAME_BYTES} bytes: ${name.slice(0, 60)}… Rename it.`);
  return name;
}
