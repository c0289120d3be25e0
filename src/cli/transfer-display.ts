import type { Progress } from '../modes/backup.ts';
import { showMove } from './move-display.ts';

/** Shows how far a backup or a restore is, on standard error. */
export interface TransferDisplay {
  show(progress: Progress): void;
  end(): void;
}

/** A bar for the files, and a line for the database. */
export function showTransfer(databaseLine: string, isQuiet: boolean): TransferDisplay {
  const display = showMove(isQuiet);
  let isTold = false;
  return {
    show({ step, files, bytes, totalFiles, totalBytes }) {
      if (step === 'files') return display.show({ files, bytes, total: { files: totalFiles, bytes: totalBytes } });
      if (isTold) return;
      isTold = true;
      if (!isQuiet) display.tell(databaseLine);
    },
    end: () => display.end(),
  };
}
