import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { TableError, tableProblem } from '../table/table-error.ts';

/** A table as it stands on the disk. */
export interface TableFile {
  /** Its real path. */
  readonly path: string;
  readonly sha256: string;
  /** Throws TableError if it is not what it was when it was opened. */
  requireSame(): Promise<void>;
}

/** Looks at the bytes of a table. Throws what the system says, and the signal's reason. */
export async function openTableFile(file: string, signal: AbortSignal): Promise<TableFile> {
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

async function factsOf(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  return `${ino} ${size} ${mtimeNs}`;
}
