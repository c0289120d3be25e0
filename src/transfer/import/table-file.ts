import { constants, createReadStream } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { codeOf } from '../../base/errors.ts';
import { TableError, tableProblem } from '../table/row-plan.ts';

/** The file of a table. */
export interface TableFile {
  /** Its real path. */
  readonly path: string;
  /** Its place for the journal: its path, and the sheet if one is named. Each sheet is a table of its own. */
  readonly place: string;
  readonly sha256: string;
  /** Throws TableError if the file was changed since it was opened. */
  requireSame(): Promise<void>;
}

/**
 * Opens and hashes the file of a table. Throws TableError for a path that is no readable file, errors of the system, and
 * the signal's reason.
 */
export async function openTableFile(file: string, sheet: string | undefined, signal: AbortSignal): Promise<TableFile> {
  await requireReadable(file);
  const path = await realpath(file);
  const seen = await factsOf(path);
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of createReadStream(path)) {
    signal.throwIfAborted();
    hasher.update(chunk as Buffer);
  }
  if (sheet !== undefined) hasher.update(`\0${sheet}`);
  return {
    path,
    place: sheet === undefined ? path : `${path}#${sheet}`,
    sha256: hasher.digest('hex'),
    async requireSame() {
      if ((await factsOf(path)) !== seen)
        throw new TableError(tableProblem('The table was changed during its import. Import it again.'));
    },
  };
}

/** Throws TableError unless a path is a readable file. Opening a pipe would block until it has a writer. */
async function requireReadable(file: string): Promise<void> {
  try {
    const facts = await stat(file);
    if (facts.isDirectory())
      throw new TableError(tableProblem(`${file} is a folder. Name a CSV file or a spreadsheet.`));
    if (!facts.isFile()) {
      const advice = 'An import reads the table several times. Write it to a file first.';
      throw new TableError(tableProblem(`${file} is a pipe or a device. ${advice}`));
    }
    await access(file, constants.R_OK);
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    throw new TableError(tableProblem(`Cannot read ${file}: permission denied.`));
  }
}

async function factsOf(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}
