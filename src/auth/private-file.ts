import { randomBytes } from 'node:crypto';
import { type FileHandle, link, mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ConfigError } from '../base/yaml-file.ts';

const MAX_PRIVATE_FILE_BYTES = 64 * 1024;

/**
 * Returns the text of a file that only the user of this program may read. Creates a missing file and its folder.
 * Concurrent processes get the same text, and a crash leaves no incomplete file. Throws ConfigError for a file that
 * others may read, that is too large, or that cannot be read or created.
 */
export async function loadOrCreatePrivateFile(file: string, create: () => Promise<string>): Promise<string> {
  const existing = await readPrivateFile(file);
  if (existing !== undefined) return existing;
  await writeOnce(file, await create());
  const written = await readPrivateFile(file);
  if (written === undefined) throw fileProblem(file, 'the file was deleted right after its creation');
  return written;
}

async function readPrivateFile(file: string): Promise<string | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw fileProblem(file, `the file cannot be read (${code})`);
  }
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw fileProblem(file, 'this must be a file');
    if (isOpenToOthers(stat)) {
      const mode = (stat.mode & 0o777).toString(8);
      throw fileProblem(file, `others may read this secret (mode ${mode}); replace it, or run: chmod 600 ${file}`);
    }
    if (stat.size > MAX_PRIVATE_FILE_BYTES)
      throw fileProblem(file, `the file is larger than ${MAX_PRIVATE_FILE_BYTES} bytes`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/**
 * Returns true if other users may read a file. Windows has no such modes. A file of root may be readable by its group:
 * orchestrators pass secrets this way to programs that do not run as root.
 */
function isOpenToOthers({ mode, uid }: { mode: number; uid: number }): boolean {
  if (process.platform === 'win32') return false;
  return (mode & (uid === 0 ? 0o037 : 0o077)) !== 0;
}

/**
 * Writes a file that only the user of this program may read, in place of an existing one. Creates its folder. Throws ConfigError
 * for a file that cannot be written.
 */
export async function replacePrivateFile(file: string, text: string): Promise<void> {
  await place(file, text, (temporary) => rename(temporary, file));
}

/** Creates a file atomically, or keeps the one that another process created meanwhile. */
async function writeOnce(file: string, text: string): Promise<void> {
  // Unlike a rename, a link fails if another process has created the file.
  await place(file, text, (temporary) => link(temporary, file).catch((error) => acceptExisting(file, error)));
}

/** Writes a temporary file durably, and `move`s it to its name. */
async function place(file: string, text: string, move: (temporary: string) => Promise<void>): Promise<void> {
  const folder = dirname(file);
  const temporary = join(folder, `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      await writeDurably(temporary, text);
      await move(temporary);
    } finally {
      await unlink(temporary).catch(ignoreMissing);
    }
    await syncFolder(folder);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw fileProblem(file, `the file cannot be created (${error.code})`);
  }
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the file name durable. Windows cannot open a folder. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function acceptExisting(file: string, { code }: NodeJS.ErrnoException): void {
  if (code === 'EEXIST') return;
  throw fileProblem(
    file,
    `the file cannot be created: its file system does not support hard links (${code}); use another folder`,
  );
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Returns the error for a file that cannot be used. */
export function fileProblem(file: string, message: string): ConfigError {
  return new ConfigError(file, [{ line: 1, message }]);
}
