import { constants, createReadStream } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { codeOf } from '../../base/errors.ts';
import { TableError, tableProblem } from '../table/row-plan.ts';

/** A table as it stands on the disk. */
export interface TableFile {
  /** Its real path. */
  readonly path: string;
  readonly sha256: string;
  /** Throws TableError if it is not what it was when it was opened. */
  requireSame(): Promise<void>;
}

/**
 * Looks at the bytes of a table. Throws TableError for what is no file, or may not be read; what the system says, and the
 * signal's reason.
 */
export async function openTableFile(file: string, signal: AbortSignal): Promise<TableFile> {
  await requireReadable(file);
  const path = await realpath(file);
  const seen = await factsOf(path);
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of createReadStream(path)) {
    signal.throwIfAborted();
    hasher.update(chunk as Buffer);
  }
  return {
    path,
    sha256: hasher.digest('hex'),
    async requireSame() {
      if ((await factsOf(path)) !== seen)
        throw new TableError(tableProblem('The table was changed while it was being imported. Import it again.'));
    },
  };
}

/** Nothing is opened that is no file: whoever opens a pipe waits for its writer, and cannot be stopped meanwhile. */
async function requireReadable(file: string): Promise<void> {
  try {
    const facts = await stat(file);
    if (facts.isDirectory()) throw new TableError(tableProblem(`${file} is a folder, and not a table.`));
    if (!facts.isFile()) {
      const advice = 'a table is read more than once, so write it to a file first';
      throw new TableError(tableProblem(`${file} is a pipe or a device, and not a file: ${advice}.`));
    }
    await access(file, constants.R_OK);
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    throw new TableError(tableProblem(`${file} cannot be read: permission denied.`));
  }
}

async function factsOf(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}
